import type {Measurement} from './measurement.js'
import {Direct} from './support/direct.js'
import {Client, startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import type {Row} from './support/report.js'
import {differenceOf, median, quantile, range, timed} from './support/statistics.js'
import {startStub} from './support/stub.js'

const PAIRS = 300
const WARM_UPS = 50

export const turnOverhead: Measurement = {
  name: 'turn',
  about: `one turn through POST /message minus the same model call over the AI SDK alone, ${PAIRS} interleaved pairs`,
  async run() {
    const stub = await startStub()
    const gateway = await startGateway(await newHome(stub))
    try {
      const first = await timed(async () => {
        const early = await Client.connect(gateway.port)
        await early.send({message: 'ping', session: 'new'})
        early.close()
      })
      const direct = await Direct.like(gateway, stub)
      const client = await Client.connect(gateway.port)
      const send = (model: string) => client.send({message: 'ping', session: 'new', model})
      const rows = [
        await pairs(
          'text',
          5,
          () => send('stub/instant'),
          () => direct.text('ping'),
        ),
        await pairs(
          'two tool calls in one step',
          10,
          () => send('stub/two-tools'),
          () => direct.twoTools('ping'),
        ),
        {what: 'the first turn after a start', value: first, unit: 'ms' as const, note: 'loads the AI SDK'},
      ]
      client.close()
      return rows
    } finally {
      await Promise.all([gateway.stop(), stub.stop()])
    }
  },
}

async function pairs(what: string, atMost: number, svc: () => Promise<unknown>, sdk: () => Promise<unknown>): Promise<Row> {
  const own: number[] = []
  const alone: number[] = []
  for (const pair of range(WARM_UPS + PAIRS)) {
    const [first, second] = [await timed(svc), await timed(sdk)]
    if (pair < WARM_UPS) continue
    own.push(first)
    alone.push(second)
  }
  const shown = (times: number[]) => `p50 ${median(times).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)} ms`
  const note = `svc ${shown(own)}; AI SDK ${shown(alone)}; spread p5 – p95`
  return {what: `added by svc: ${what}`, ...differenceOf(own, alone), unit: 'ms', target: {atMost}, note}
}
