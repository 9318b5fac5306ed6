import {setTimeout as delay} from 'node:timers/promises'
import type {App} from '../core/app.js'
import type {Store} from '../core/store/store.js'

/** How old an answer may be. A probe writes to the disk, so a busy health check must not ask each time. */
const FRESH_MS = 2000
/** How long a request waits for a probe before it takes the answer before. */
const PATIENCE_MS = 1000

interface Health {
  /** Why the store cannot be written; undefined when it can. */
  reason: string | undefined
  probedAt: number
  probing: Promise<void> | undefined
}

const known = new WeakMap<Store, Health>()

/** Why the store cannot be written, undefined when it can; at most two seconds old unless the store hangs. */
export function storeTrouble(app: App): string | undefined | Promise<string | undefined> {
  const health = known.get(app.store) ?? remember(app.store)
  if (performance.now() - health.probedAt < FRESH_MS) return health.reason
  health.probing ??= probe(app, health)
  return Promise.race([health.probing, delay(PATIENCE_MS, undefined, {ref: false})]).then(() => health.reason)
}

async function probe(app: App, health: Health): Promise<void> {
  const before = health.reason
  try {
    await app.store.probe()
    health.reason = undefined
    if (before !== undefined) app.log.info('The store can be written again.')
  } catch (error) {
    health.reason = error instanceof Error ? error.message : String(error)
    if (before === undefined) app.log.error('The store cannot be written.', {reason: health.reason})
  }
  health.probedAt = performance.now()
  health.probing = undefined
}

function remember(store: Store): Health {
  const health: Health = {reason: undefined, probedAt: Number.NEGATIVE_INFINITY, probing: undefined}
  known.set(store, health)
  return health
}
