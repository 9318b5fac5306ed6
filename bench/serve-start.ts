import {setTimeout as sleep} from 'node:timers/promises'
import type {Measurement} from './measurement.js'
import {residentMb} from './support/child.js'
import {startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {seed} from './support/seed.js'
import {median, range, spreadOf} from './support/statistics.js'

const RUNS = 9
const TURNS = 10_000

export const serveStart: Measurement = {
  name: 'serve-start',
  about: `svc serve to its ready line, ${RUNS} interleaved starts; memory after 5 s of idleness`,
  async run() {
    const empty = await newHome()
    const full = await newHome()
    const {turns} = seed(full, {messages: TURNS * 2, atMostMs: 30_000})

    const first = [await startOnce(empty)]
    await startOnce(full)
    const emptyMs: number[] = []
    const fullMs: number[] = []
    for (const _ of range(RUNS)) {
      emptyMs.push(await startOnce(empty))
      fullMs.push(await startOnce(full))
    }
    const target = {atMost: 400}
    return [
      {what: 'ready, empty home', ...spreadOf(emptyMs), unit: 'ms', target},
      {what: `ready, ${turns.toLocaleString('en')} turns`, ...spreadOf(fullMs), unit: 'ms', target},
      {what: 'ready, first start ever', value: median(first), unit: 'ms', note: 'nothing compiled yet, store created'},
      {what: 'idle memory, empty home', value: await idleMemory(empty), unit: 'MB', target: {atMost: 100}},
      {what: 'idle memory, full home', value: await idleMemory(full), unit: 'MB', target: {atMost: 100}},
    ]
  },
}

async function startOnce(home: string): Promise<number> {
  const gateway = await startGateway(home)
  await gateway.stop()
  return gateway.readyMs
}

async function idleMemory(home: string): Promise<number> {
  const gateway = await startGateway(home)
  await sleep(5000)
  const {now} = residentMb(gateway.pid)
  await gateway.stop()
  return now
}
