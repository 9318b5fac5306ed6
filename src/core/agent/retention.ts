import {setTimeout as sleep} from 'node:timers/promises'
import type {App} from '../app.js'
import {isAlive} from './process-identity.js'

const FIRST_AFTER_MS = 60_000
const EVERY_MS = 6 * 60 * 60 * 1000

/**
 * Keeps the store from growing for ever, as `storage.retentionDays` says: a minute after the start and then four times a day.
 *
 * @returns stops it
 */
export function startRetention(app: App): () => void {
  const stop = new AbortController()
  let timer = setTimeout(function sweep() {
    void forgetOldTurns(app, stop.signal)
    timer = setTimeout(sweep, EVERY_MS).unref()
  }, FIRST_AFTER_MS).unref()
  return () => {
    clearTimeout(timer)
    stop.abort()
  }
}

/** @returns how many turns were forgotten */
export async function forgetOldTurns(app: App, signal: AbortSignal): Promise<number> {
  const now = app.now()
  const before = new Date(now.getTime() - app.config.storage.retentionDays * 24 * 60 * 60 * 1000).toISOString()
  let forgotten = 0
  try {
    await forgetDeadProcesses(app)
    while (!signal.aborted) {
      const some = await app.store.prune(before, now.toISOString())
      forgotten += some
      if (some === 0) break
      // Whoever waits for the write lock goes first.
      await sleep(50, undefined, {signal, ref: false})
    }
  } catch (error) {
    if (!signal.aborted) app.log.warn('Old turns could not be forgotten.', {error})
  }
  if (forgotten > 0) app.log.info('Forgot old turns.', {turns: forgotten, before})
  return forgotten
}

/** Those that were killed and left no turn behind; the others go when their turns are taken over. */
async function forgetDeadProcesses(app: App): Promise<void> {
  const needed = await app.store.turns.ownersOfUnfinished()
  for (const record of await app.store.processes.list()) {
    if (!needed.includes(record.id) && !isAlive(record, app.now())) await app.store.processes.remove(record.id)
  }
}
