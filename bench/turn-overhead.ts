import type {Measurement} from './measurement.js'
import {Direct} from './support/direct.js'
import {startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {sender} from './support/load.js'
import type {Row} from './support/report.js'
import {seed} from './support/seed.js'
import {differenceOf, median, quantile, range, timed} from './support/statistics.js'
import {startStub} from './support/stub.js'

const PAIRS = 300
const FULL = 100_000
const WARM_UPS = 50

export const turnOverhead: Measurement = {
  name: 'turn',
  about: `one turn through POST /message minus the same model call over the AI SDK alone, ${PAIRS} interleaved pairs`,
  async run() {
    const stub = await startStub()
    const gateway = await startGateway(await newHome(stub))
    const fullHome = await newHome(stub)
    const {turns} = seed(fullHome, {messages: FULL * 2, atMostMs: 60_000})
    const full = await startGateway(fullHome)
    try {
      const first = await timed(async () => {
        const {work, close} = await sender(gateway, ping)
        await work()
        close()
      })
      const direct = await Direct.like(gateway, stub)
      const text = {name: 'svc', begin: () => sender(gateway, ping)}
      const tools = {name: 'svc', begin: () => sender(gateway, {...ping, model: 'stub/two-tools'})}
      const inFull = {name: 'full', begin: () => sender(full, ping)}
      const sdk = (work: () => Promise<void>) => ({name: 'AI SDK', begin: async () => ({work, close: () => {}})})
      const where = `in a home of ${turns.toLocaleString('en')} turns, against an empty one`
      return [
        await compare(
          'added by svc: text',
          5,
          text,
          sdk(() => direct.text('ping')),
        ),
        await compare(
          'added by svc: two tool calls',
          10,
          tools,
          sdk(() => direct.twoTools('ping')),
        ),
        await compare(`added ${where}`, 1, inFull, {...text, name: 'empty'}),
        {what: 'the first turn after a start', value: first, unit: 'ms' as const, note: 'loads the AI SDK'},
      ]
    } finally {
      await Promise.all([gateway.stop(), full.stop(), stub.stop()])
    }
  },
}

const ping = {message: 'ping', session: 'new'}

interface Side {
  name: string
  begin(): Promise<{work(): Promise<unknown>; close(): void}>
}

/** The difference of the medians of two sides that take turns. */
async function compare(what: string, atMost: number, own: Side, other: Side): Promise<Row> {
  const sides = [await own.begin(), await other.begin()] as const
  const times: {own: number[]; other: number[]} = {own: [], other: []}
  for (const pair of range(WARM_UPS + PAIRS)) {
    const [first, second] = [await timed(sides[0].work), await timed(sides[1].work)]
    if (pair < WARM_UPS) continue
    times.own.push(first)
    times.other.push(second)
  }
  for (const {close} of sides) close()
  const shown = (list: number[]) => `p50 ${median(list).toFixed(1)}, p99 ${quantile(list, 0.99).toFixed(1)} ms`
  const note = `${own.name} ${shown(times.own)}; ${other.name} ${shown(times.other)}; spread p5 – p95`
  return {what, ...differenceOf(times.own, times.other), unit: 'ms', target: {atMost}, note}
}
