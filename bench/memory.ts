import {setTimeout as sleep} from 'node:timers/promises'
import type {Measurement} from './measurement.js'
import {residentMb} from './support/child.js'
import {type Message, startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {sendMany} from './support/load.js'
import type {Row} from './support/report.js'
import {startStub} from './support/stub.js'

const EARLY = 2000
const LATE = 10_000
/** What a garbage collector may differ by from one moment to the next. */
const FLAT = 1.15

export const memory: Measurement = {
  name: 'memory',
  about: `resident memory after ${EARLY} and ${LATE} turns, 3 s after the last`,
  async run({long}) {
    return [
      ...(await grow('each in its session', {message: 'ping', session: 'new'}, 8, 120_000)),
      // The history of one session grows, and with it the work of every turn, until it is summarised.
      ...(await grow('all in one session', {message: 'ping', session: 'long-lived'}, 1, long ? 900_000 : 90_000)),
    ]
  },
}

async function grow(where: string, message: Message, concurrency: number, atMostMs: number): Promise<Row[]> {
  const stub = await startStub()
  const gateway = await startGateway(await newHome(stub, {concurrency}))
  const until = performance.now() + atMostMs
  const send = (count: number) =>
    sendMany(gateway, {message, count, concurrency, atMostMs: Math.max(0, until - performance.now())})
  try {
    const early = await send(EARLY)
    const afterEarly = await settled(gateway.pid)
    const late = early + (await send(LATE - early))
    const afterLate = await settled(gateway.pid)
    const turns = (count: number) => `${count.toLocaleString('en')} turns ${where}`
    const cut = late < LATE ? `stopped after ${atMostMs / 1000} s; ` : ''
    return [
      {what: `memory after ${turns(early)}`, value: afterEarly.now, unit: 'MB', target: {atMost: 200}},
      {
        what: `memory after ${turns(late)}`,
        value: afterLate.now,
        unit: 'MB',
        target: {atMost: 200},
        note: `${cut}peak ${afterLate.peak.toFixed(0)} MB`,
      },
      {what: `growth from ${early} to ${late}`, value: afterLate.now / afterEarly.now, unit: '×', target: {atMost: FLAT}},
    ]
  } finally {
    await Promise.all([gateway.stop(), stub.stop()])
  }
}

async function settled(pid: number): Promise<{now: number; peak: number}> {
  await sleep(3000)
  return residentMb(pid)
}
