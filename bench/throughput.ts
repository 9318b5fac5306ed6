import type {Measurement} from './measurement.js'
import {processorMs} from './support/child.js'
import {Direct} from './support/direct.js'
import {type Gateway, startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {rateOf, sender} from './support/load.js'
import type {Row} from './support/report.js'
import {median, range, ratioOf, spreadOf} from './support/statistics.js'
import {startStub} from './support/stub.js'

const CONCURRENCY = [1, 8, 32]
const ROUNDS = 3
const ROUND_SECONDS = 4

/** Every turn in a session of its own; as many run at once as clients ask. */
export const throughput: Measurement = {
  name: 'throughput',
  about: `turns a second against an instant provider, ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s`,
  async run() {
    const stub = await startStub()
    const gateway = await startGateway(await newHome(stub, {concurrency: 32}))
    const unchanged = await startGateway(await newHome(stub))
    try {
      const direct = await Direct.like(gateway, stub)
      await Promise.all([turns(gateway, 8), turns(unchanged, 8), calls(direct, 8)])
      const rows: Row[] = []
      for (const concurrency of CONCURRENCY) rows.push(...(await compare(gateway, direct, concurrency)))
      rows.push(
        await alone('default settings (4 at once), 8 clients', unchanged),
        await alone('offline model, 8 clients', gateway, 'offline/assistant'),
      )
      return rows
    } finally {
      await Promise.all([gateway.stop(), unchanged.stop(), stub.stop()])
    }
  },
}

async function compare(gateway: Gateway, direct: Direct, concurrency: number): Promise<Row[]> {
  const own: number[] = []
  const sdk: number[] = []
  for (const _ of range(ROUNDS)) {
    own.push(await turns(gateway, concurrency))
    sdk.push(await calls(direct, concurrency))
  }
  const isJudged = concurrency === 8
  const clients = `${concurrency} client${concurrency === 1 ? '' : 's'}`
  return [
    {what: `turns a second, ${clients}`, ...spreadOf(own), unit: '/s', ...(isJudged && {target: {atLeast: 200}})},
    {
      what: `against the AI SDK alone, ${clients}`,
      ...ratioOf(own, sdk),
      unit: '×',
      ...(isJudged && {target: {atLeast: 0.5}}),
      note: `AI SDK ${median(sdk).toFixed(0)}/s`,
    },
  ]
}

async function alone(what: string, gateway: Gateway, model?: string): Promise<Row> {
  const rates: number[] = []
  const before = processorMs(gateway.pid)
  const started = performance.now()
  for (const _ of range(ROUNDS)) rates.push(await turns(gateway, 8, model))
  const busy = (processorMs(gateway.pid) - before) / (performance.now() - started)
  return {
    what: `turns a second, ${what}`,
    ...spreadOf(rates),
    unit: '/s',
    note: `server's processor use ${(busy * 100).toFixed(0)} %`,
  }
}

const turns = (gateway: Gateway, concurrency: number, model = 'stub/instant') =>
  rateOf(concurrency, ROUND_SECONDS, () => sender(gateway, {message: 'ping', session: 'new', model}))

const calls = (direct: Direct, concurrency: number) =>
  rateOf(concurrency, ROUND_SECONDS, async () => ({work: () => direct.text('ping'), close: () => {}}))
