import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Measurement} from './measurement.js'
import {root} from './support/build.js'
import {processorMs, startChild} from './support/child.js'
import {Connection, requestBytes} from './support/connection.js'
import {Client, type Gateway, startGateway} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {rateOf} from './support/load.js'
import type {Row} from './support/report.js'
import {median, quantile, range, ratioOf} from './support/statistics.js'
import {startStub} from './support/stub.js'

const CONNECTIONS = 16
const ROUNDS = 5
const ROUND_SECONDS = 2
const RUNNING = 4
const QUEUED = 32
const PROBE_EVERY_MS = 5

export const healthRate: Measurement = {
  name: 'health',
  about: `GET /health over ${CONNECTIONS} open connections, ${ROUNDS} alternating rounds of ${ROUND_SECONDS} s; then under load`,
  async run() {
    const stub = await startStub()
    const gateway = await startGateway(await newHome(stub))
    const bare = await startChild([join(root, 'bench/bare-server.ts')], {}, ({event}) => event === 'ready')
    try {
      return [...(await compare(gateway, {pid: bare.pid, port: Number(bare.ready.port)})), ...(await underLoad(gateway))]
    } finally {
      await Promise.all([gateway, bare, stub].map((child) => child.stop()))
    }
  },
}

interface Server {
  pid: number
  port: number
}

async function compare(gateway: Server, bare: Server): Promise<Row[]> {
  await round(bare)
  await round(gateway)
  const rounds: {own: Round; other: Round}[] = []
  for (const _ of range(ROUNDS)) rounds.push({other: await round(bare), own: await round(gateway)})
  const rates = {own: rounds.map(({own}) => own.rate), other: rounds.map(({other}) => other.rate)}
  const costs = {own: rounds.map(({own}) => own.costUs), other: rounds.map(({other}) => other.costUs)}
  return [
    {
      what: '/health requests a second',
      ...ratioOf(rates.own, rates.other),
      unit: '×',
      target: {atLeast: 0.8},
      note: `${median(rates.own).toFixed(0)}/s against ${median(rates.other).toFixed(0)}/s of bare node:http`,
    },
    {
      what: 'processor time a request, bare against svc',
      ...ratioOf(costs.other, costs.own),
      unit: '×',
      note: `${median(costs.own).toFixed(1)} µs against ${median(costs.other).toFixed(1)} µs of bare node:http`,
    },
  ]
}

interface Round {
  rate: number
  /** Processor time of the server per request, in microseconds; the client's speed does not enter it. */
  costUs: number
}

async function round({pid, port}: Server): Promise<Round> {
  const request = requestBytes('GET', '/health', port)
  const before = processorMs(pid)
  const rate = await rateOf(CONNECTIONS, ROUND_SECONDS, async () => {
    const connection = await Connection.open(port)
    return {work: () => connection.send(request), close: () => connection.close()}
  })
  return {rate, costUs: ((processorMs(pid) - before) * 1000) / (rate * ROUND_SECONDS)}
}

/** How long one `/health` takes while replies drip in and other turns wait for them. */
async function underLoad(gateway: Gateway): Promise<Row[]> {
  const idle = await probe(gateway.port, sleep(2000))
  const clients = await Promise.all(range(RUNNING + QUEUED).map(() => Client.connect(gateway.port)))
  const turns = clients.map((client) => client.send({message: 'ping', session: 'new', model: 'stub/slow'}))
  const loaded = await probe(gateway.port, Promise.all(turns))
  for (const client of clients) client.close()
  return [
    {
      what: `/health p99, ${RUNNING} turns running and ${QUEUED} queued`,
      value: quantile(loaded, 0.99),
      min: Math.min(...loaded),
      max: Math.max(...loaded),
      unit: 'ms',
      target: {atMost: 20},
      note: `p50 ${median(loaded).toFixed(2)} ms; idle p50 ${median(idle).toFixed(2)}, p99 ${quantile(idle, 0.99).toFixed(2)} ms`,
    },
  ]
}

async function probe(port: number, until: Promise<unknown>): Promise<number[]> {
  const connection = await Connection.open(port)
  const request = requestBytes('GET', '/health', port)
  const times: number[] = []
  let over = false
  const finished = until.finally(() => {
    over = true
  })
  while (!over) {
    const started = performance.now()
    await connection.send(request)
    times.push(performance.now() - started)
    await sleep(PROBE_EVERY_MS)
  }
  await finished
  connection.close()
  return times
}
