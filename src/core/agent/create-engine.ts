import {setTimeout as sleep} from 'node:timers/promises'
import type {App} from '../app.js'
import {SvcError} from '../errors.js'
import type {ProcessRecord} from '../store/store.js'
import type {Engine} from './engine.js'
import {isAlive, LEASE_MS} from './process-identity.js'
import {runTurn} from './run-turn.js'
import {Stop} from './stop.js'
import type {RunningTurn, Turn} from './turn.js'
import {isFinished} from './turn.js'
import {isLastEvent, type TurnEvent} from './turn-event.js'

/** How often other processes' work is looked for, while anybody waits for it. */
const LISTEN_MS = 250
/** How often it is looked whether a process died and left turns behind: by a server always, by a command while its turns wait. */
const PATROL_MS = 1000
const EVENTS_AT_ONCE = 500

interface EngineOptions {
  self: ProcessRecord
  retryBaseMs: number
}

/**
 * The running side of the turn engine: starts what may start, stops what was cancelled, takes over what the dead left behind.
 *
 * @param app complete but for its engine when this is called
 */
export function createEngine(app: App, {self, retryBaseMs}: EngineOptions): Engine & {close(drainMs: number): Promise<void>} {
  const running = new Map<string, {stop: AbortController; done: Promise<void>}>()
  /** Wake-ups of readers: by turn, and of everything when another process wrote. */
  const waiting = new Map<string, Set<() => void>>()
  const limits = {concurrency: app.config.gateway.concurrency, queue: app.config.gateway.queue}
  let seenVersion = app.store.dataVersion()
  let listener: NodeJS.Timeout | undefined
  const closing = new AbortController()
  let starting: Promise<void> | undefined

  const stopHearing = app.store.events.onAppend((turnId) => {
    for (const wake of waiting.get(turnId) ?? []) wake()
  })

  function start(turn: Turn): void {
    if (turn.owner !== self.id) return
    if (turn.status === 'running' && !running.has(turn.id)) launch(turn)
    listen()
  }

  function launch(turn: RunningTurn): void {
    const stop = new AbortController()
    const deadline = setTimeout(() => stop.abort(new Stop('deadline')), app.config.budgets.turnMinutes * 60_000)
    const done = runUntilDecided(turn, stop.signal).finally(() => {
      clearTimeout(deadline)
      running.delete(turn.id)
      wake()
    })
    running.set(turn.id, {stop, done})
  }

  /** A store that fails, for a full disk say, decides nothing: the turn goes on when it is back. */
  async function runUntilDecided(turn: RunningTurn, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        // A cancel may have come between the claim and now, from another process.
        if (await app.store.turns.cancelRequested(turn.id)) return await runTurn(app, turn, AbortSignal.abort(new Stop('cancel')))
        return await runTurn(app, turn, signal)
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'storage-unavailable') {
          app.log.error('A turn stopped because of a bug.', {turn: turn.id, error})
          return
        }
        app.log.error('The store cannot be used; the turn waits for it.', {turn: turn.id, error: error.message})
        if (!(await storeIsBack())) return
      }
    }
  }

  /** Waits for it also when the turn was told to stop: its end has to be written down. @returns false when this process closes */
  async function storeIsBack(): Promise<boolean> {
    while (!closing.signal.aborted) {
      await sleep(1000, undefined, {signal: closing.signal}).catch(() => undefined)
      if (
        await app.store.probe().then(
          () => true,
          () => false,
        )
      )
        return true
    }
    return false
  }

  function wake(): void {
    if (closing.signal.aborted) return
    // One sweep at a time; a wake-up during it is a new sweep after it.
    starting = (starting ?? Promise.resolve()).then(startAll).catch((error: unknown) => {
      app.log.error('Waiting turns could not be started.', {error})
    })
    listen()
  }

  async function startAll(): Promise<void> {
    while (!closing.signal.aborted && (await app.store.turns.hasWaiting(self.id))) {
      const turn = await app.store.turns.claimNext(self.id, limits, app.now().toISOString())
      if (!turn) return
      launch(turn)
    }
  }

  /** Looks at other processes' work, as long as something here depends on it. */
  function listen(): void {
    if (listener || closing.signal.aborted) return
    listener = setInterval(() => void look(), LISTEN_MS)
  }

  async function look(): Promise<void> {
    try {
      const expired = await app.store.approvals.expire(app.now().toISOString())
      const hasWaiting = await app.store.turns.hasWaiting(self.id)
      if (running.size === 0 && waiting.size === 0 && !hasWaiting) {
        clearInterval(listener)
        listener = undefined
        return
      }
      if (!changedElsewhere() && expired.length === 0) return
      for (const [turnId, {stop}] of running) if (await app.store.turns.cancelRequested(turnId)) stop.abort(new Stop('cancel'))
      for (const wakers of waiting.values()) for (const wakeReader of wakers) wakeReader()
      wake()
    } catch (error) {
      // What changed is not known yet.
      seenVersion = Number.NaN
      app.log.warn('The store could not be read.', {error})
    }
  }

  function changedElsewhere(): boolean {
    const version = app.store.dataVersion()
    const changed = version !== seenVersion
    seenVersion = version
    return changed
  }

  /** Resolves at the turn's next change, or when another process wrote. */
  function nextChange(turnId: string, signal: AbortSignal | undefined): {promise: Promise<void>; forget(): void} {
    const {promise, resolve, reject} = Promise.withResolvers<void>()
    const abort = () => reject(signal?.reason)
    const wakers = waiting.get(turnId) ?? new Set()
    waiting.set(turnId, wakers.add(resolve))
    signal?.addEventListener('abort', abort, {once: true})
    promise.catch(() => undefined)
    listen()
    return {
      promise,
      forget() {
        signal?.removeEventListener('abort', abort)
        wakers.delete(resolve)
        if (wakers.size === 0 && waiting.get(turnId) === wakers) waiting.delete(turnId)
      },
    }
  }

  async function* watch(
    turnId: string,
    options: {afterSeq?: number; signal?: AbortSignal} = {},
  ): AsyncGenerator<TurnEvent, void, undefined> {
    const {signal} = options
    let seq = options.afterSeq ?? 0
    let sawEnd = false
    for (;;) {
      signal?.throwIfAborted()
      // Listening begins before reading, or a change in between would be missed.
      const change = nextChange(turnId, signal)
      try {
        const events = await app.store.events.ofTurn(turnId, seq, EVENTS_AT_ONCE)
        for (const event of events) {
          yield event
          if (isLastEvent(event)) return
          seq = event.seq
        }
        if (events.length === 0) {
          const turn = await app.store.turns.get(turnId)
          if (!turn) return
          if (!isFinished(turn)) await change.promise
          // It may have ended between the two reads: once more for its last events.
          else if (sawEnd) return
          else sawEnd = true
        }
      } finally {
        change.forget()
      }
    }
  }

  async function outcome(turnId: string, signal?: AbortSignal): Promise<Turn> {
    for (;;) {
      signal?.throwIfAborted()
      const change = nextChange(turnId, signal)
      try {
        const turn = await app.store.turns.get(turnId)
        if (!turn) throw new SvcError('not-found', `There is no turn ${turnId}.`)
        if (isFinished(turn) || (turn.status === 'awaiting-approval' && turn.approvals.length > 0)) return turn
        await change.promise
      } finally {
        change.forget()
      }
    }
  }

  async function cancel(turnId: string, by: string): Promise<Turn> {
    const asked = await app.store.turns.requestCancel(turnId, by, app.now().toISOString())
    running.get(turnId)?.stop.abort(new Stop('cancel'))
    if (asked.status !== 'running') {
      wake()
      return asked
    }
    return outcome(turnId)
  }

  async function recover(): Promise<number> {
    const owners = await app.store.turns.ownersOfUnfinished()
    const others = owners.filter((owner) => owner !== self.id)
    if (others.length === 0) return 0
    const processes = new Map((await app.store.processes.list()).map((record) => [record.id, record]))
    const dead = others.filter((owner) => {
      const record = owner === null ? undefined : processes.get(owner)
      return !record || !isAlive(record, app.now())
    })
    // What is taken after the release would belong to nobody.
    if (dead.length === 0 || closing.signal.aborted) return 0
    const moved = await app.store.turns.takeOver(dead, self.id, app.now().toISOString())
    for (const owner of dead) if (owner !== null) await app.store.processes.remove(owner)
    if (moved > 0) app.log.warn('Took over turns of a process that died.', {turns: moved})
    wake()
    return moved
  }

  const patrol = setInterval(() => {
    makeRound().catch((error: unknown) => app.log.warn('The patrol could not use the store.', {error}))
  }, PATROL_MS)
  // A command ends when its work is done.
  if (self.kind === 'command') patrol.unref()

  let beat = performance.now()
  async function makeRound(): Promise<void> {
    if (performance.now() - beat >= LEASE_MS / 3) {
      beat = performance.now()
      await app.store.processes.renew(self.id, new Date(Date.now() + LEASE_MS).toISOString())
    }
    // A command must not do the work of others unless its own waits behind it.
    if (self.kind === 'command' && !(await app.store.turns.hasWaiting(self.id))) return
    await recover()
    await look()
    // What nobody watches: a question was answered elsewhere, or by nobody in time; a turn could not be started for a full disk.
    wake()
  }

  async function idle(): Promise<void> {
    while (running.size > 0 || (await app.store.turns.hasWaiting(self.id))) {
      await starting
      await Promise.race([...[...running.values()].map(({done}) => done), sleep(LISTEN_MS)])
    }
  }

  return {
    owner: self.id,
    retryBaseMs,
    start,
    wake,
    watch,
    outcome,
    cancel,
    recover,
    idle,
    async close(drainMs) {
      closing.abort()
      clearInterval(patrol)
      const all = () => Promise.all([...running.values()].map(({done}) => done))
      if (drainMs > 0) await Promise.race([all(), sleep(drainMs, undefined, {ref: false})])
      for (const {stop} of running.values()) stop.abort(new Stop('shutdown'))
      await all()
      await starting
      clearInterval(listener)
      stopHearing()
      await app.store.turns.release(self.id).catch(() => undefined)
      await app.store.processes.remove(self.id).catch(() => undefined)
    },
  }
}
