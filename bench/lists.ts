import {join} from 'node:path'
import {createSqliteStore} from '../src/core/store/sqlite/create-store.js'
import type {Store} from '../src/core/store/store.js'
import type {Measurement} from './measurement.js'
import {newHome} from './support/homes.js'
import type {Row} from './support/report.js'
import {searches, seed} from './support/seed.js'
import {median, quantile, range, timed} from './support/statistics.js'

const SMALL = 10_000
const LARGE = 1_000_000
const REPEATS = 400
const SEEDING_MS = 240_000

/** Through the store, as endpoints and commands read it: with its own connection, its prepared statements, its objects. */
export const lists: Measurement = {
  name: 'lists',
  about: `session list, messages and search at ${SMALL.toLocaleString('en')} messages, with --long at a million too`,
  async run({long}) {
    const small = await readings(SMALL)
    if (!long) return small.map((reading) => rowOf(reading, SMALL))
    const large = await readings(LARGE)
    return large.flatMap((reading, index) => {
      const before = small[index]
      const growth: Row[] =
        before && !reading.isSearch
          ? [
              {
                what: `${reading.what}, against ${SMALL.toLocaleString('en')}`,
                value: median(reading.times) / median(before.times),
                unit: '×',
                target: {atMost: 2},
              },
            ]
          : []
      return [...(before ? [rowOf(before, SMALL)] : []), rowOf(reading, LARGE), ...growth]
    })
  },
}

interface Reading {
  what: string
  isSearch: boolean
  times: number[]
}

async function readings(messages: number): Promise<Reading[]> {
  const home = await newHome()
  const seeded = seed(home, {messages, atMostMs: SEEDING_MS})
  if (seeded.messages < messages) throw new Error(`Only ${seeded.messages} messages could be written in ${SEEDING_MS / 1000} s.`)
  const store = createSqliteStore(join(home, 'svc.db'))
  try {
    const page = {limit: 50}
    const session = (index: number) => `session-${(index * 7919) % seeded.sessions}`
    const found = [
      await read('session list', () => store.sessions.list(page)),
      await read('session list, second page', await secondPage(store)),
      await read('a page of messages', (index) => store.sessions.messages(session(index), page)),
      await read('turn list', () => store.turns.list(page)),
    ]
    for (const [kind, queries] of Object.entries(searches)) {
      const search = (index: number) => store.sessions.search(queries[index % queries.length] as string, {limit: 20})
      found.push(await read(`search, ${kind}`, search, true))
    }
    return found
  } finally {
    await store.close()
  }
}

async function secondPage(store: Store): Promise<() => Promise<unknown>> {
  const {nextCursor} = await store.sessions.list({limit: 50})
  return () => store.sessions.list({limit: 50, cursor: nextCursor ?? undefined})
}

async function read(what: string, work: (index: number) => Promise<unknown>, isSearch = false): Promise<Reading> {
  for (const index of range(20)) await work(index)
  const times: number[] = []
  for (const index of range(REPEATS)) times.push(await timed(() => work(index)))
  return {what, isSearch, times}
}

function rowOf({what, times, isSearch}: Reading, messages: number): Row {
  const [part, atMost] = isSearch ? [0.95, 50] : [0.99, 10]
  return {
    what: `${what} p${part * 100} at ${messages.toLocaleString('en')}`,
    value: quantile(times, part),
    min: Math.min(...times),
    max: Math.max(...times),
    unit: 'ms',
    target: {atMost},
    note: `p50 ${median(times).toFixed(2)} ms`,
  }
}
