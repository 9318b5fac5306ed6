import type {FailureCode} from '../errors.js'
import type {Usage} from '../usage/usage.js'
import type {ToolCallEnd, ToolOutput} from './tool-call.js'

/** What happens in a turn, as every surface sees it: the stream of `/message`, the terminal, the page, the tests. */
export type TurnEventBody =
  | {type: 'turn.started'; model: string}
  | {type: 'text.delta'; text: string}
  | {type: 'reasoning.delta'; text: string}
  /** Forget the text shown since the last tool call or start: the step is made again. */
  | {type: 'text.reset'}
  | {type: 'turn.retrying'; attempt: number; reason: string; model: string; delayMs: number}
  | {type: 'tool.started'; callId: string; name: string; input: unknown}
  | {type: 'tool.finished'; callId: string; name: string; status: ToolCallEnd; output: ToolOutput}
  | {
      type: 'approval.requested'
      approvalId: string
      callId: string
      name: string
      input: unknown
      reason: string
      expiresAt: string
    }
  | {type: 'approval.decided'; approvalId: string; decision: 'approved' | 'denied' | 'expired'; by: string}
  | {type: 'turn.completed'; reply: string; usage: Usage; model: string}
  | {type: 'turn.failed'; code: FailureCode; detail: string; hint?: string}
  | {type: 'turn.cancelled'; partial: string}

export type TurnEvent = TurnEventBody & {
  /** Home-wide, rising, without a gap a reader could miss: the `id:` of the event stream of everything. */
  id: number
  /** Rising within the turn, from 1: the `id:` of the turn's own stream. */
  seq: number
  turnId: string
  sessionId: string
  at: string
}

const ends = new Set<TurnEvent['type']>(['turn.completed', 'turn.failed', 'turn.cancelled'])

/** Whether this is the last event of its turn. */
export const isLastEvent = (event: TurnEventBody): boolean => ends.has(event.type)
