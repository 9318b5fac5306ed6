import type {Turn} from './turn.js'
import type {TurnEvent} from './turn-event.js'

/** The running side of the turn engine in this process. `receive` feeds it; nothing else starts a turn. */
export interface Engine {
  /** Id of this process in the store. */
  readonly owner: string
  /** The first wait before a model step is made again, in milliseconds; it doubles from there. */
  readonly retryBaseMs: number
  /** Runs a turn that `receive` just had accepted, or waits for its session and a worker. */
  start(turn: Turn): void
  /** Looks for turns of this process that may start now, and starts them. */
  wake(): void
  /**
   * The turn's events after `afterSeq`, from the store and then live, from whichever process runs it; ends after its last event.
   * A turn that waits for an approval keeps the stream open.
   */
  watch(turnId: string, options?: {afterSeq?: number; signal?: AbortSignal}): AsyncGenerator<TurnEvent, void, undefined>
  /**
   * Waits until the turn is finished, or waits for its owner's approval.
   * @throws the signal's reason
   */
  outcome(turnId: string, signal?: AbortSignal): Promise<Turn>
  /**
   * Stops the turn wherever it runs; a queued one ends at once.
   * @throws SvcError `not-found`; `conflict` when it is finished already
   */
  cancel(turnId: string, by: string): Promise<Turn>
  /** Takes over every turn whose process is dead. The engine does so itself every second: in servers, and in commands whose turns wait. */
  recover(): Promise<number>
  /** Resolves when this process runs nothing any more. */
  idle(): Promise<void>
}
