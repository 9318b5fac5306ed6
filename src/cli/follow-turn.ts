import type {TurnEvent} from '../core/agent/turn-event.js'
import type {App} from '../core/app.js'

/**
 * The turn's events from its first to its last. Unlike `engine.watch` it also ends when the turn waits for its owner's approval.
 *
 * @throws the signal's reason
 */
export async function* followTurn(app: App, turnId: string, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
  const parked = new AbortController()
  let seq = 0
  let asked = false
  try {
    for await (const event of app.engine.watch(turnId, {signal: AbortSignal.any([signal, parked.signal])})) {
      seq = event.seq
      yield event
      if (event.type === 'approval.requested' && !asked) {
        asked = true
        app.engine.outcome(turnId, signal).then(
          () => parked.abort(),
          () => undefined,
        )
      }
    }
  } catch (error) {
    if (signal.aborted || !parked.signal.aborted) throw error
    yield* await app.store.events.ofTurn(turnId, seq, 1000)
  }
}
