import {z} from 'zod'
import type {TurnEvent} from '../core/agent/turn-event.js'
import type {App} from '../core/app.js'
import type {StreamEvent} from './route.js'

/** The `data` of one event. Its type lives in the core; the document says what all have in common. */
export const TurnEventDocument = z.custom<TurnEvent>().meta({
  description:
    'An event of a turn: turn.started, text.delta, reasoning.delta, text.reset, turn.retrying, tool.started, tool.finished, ' +
    'approval.requested, approval.decided, and last one of turn.completed, turn.failed, turn.cancelled. Each has fields of its own.',
  type: 'object',
  required: ['type', 'seq', 'turnId', 'sessionId', 'at'],
  properties: {
    type: {type: 'string'},
    seq: {type: 'integer', description: 'Rising within the turn, from 1; also the `id:` of the event'},
    turnId: {type: 'string'},
    sessionId: {type: 'string'},
    at: {type: 'string', format: 'date-time'},
  },
})

/** Where a reader that connects again goes on. */
export const LastEventId = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an event')
  .transform(Number)
  .optional()

/** The turn's events after `afterSeq` as a stream, until its last one. */
export async function* streamTurn(
  app: App,
  turnId: string,
  {afterSeq = 0, signal}: {afterSeq?: number | undefined; signal: AbortSignal},
): AsyncGenerator<StreamEvent<TurnEvent>> {
  for await (const event of app.engine.watch(turnId, {afterSeq, signal})) {
    yield {id: String(event.seq), event: event.type, data: event}
  }
}
