import type {FailureCode} from '../errors.js'
import type {Usage} from '../usage/usage.js'

/** Where a message came from. Ids of channel sessions never come from a caller, see `sessions/session-id.ts`. */
export type Channel = 'cli' | 'gateway' | 'dashboard' | 'openai' | 'cron' | 'heartbeat' | (string & {})

/** What went wrong with a turn, in the words its user reads. */
export interface TurnError {
  code: FailureCode
  detail: string
  hint?: string
}

interface TurnBase {
  id: string
  sessionId: string
  /** Place in its session, from 1. Turns of a session run in this order, one at a time. */
  number: number
  agentId: string
  channel: Channel
  /** Full `provider/model`: what the turn will be asked of, later what answered it. */
  model: string
  /** The text that started it. */
  message: string
  createdAt: string
  /** How often another process had to take it over. */
  takeovers: number
  /** The process that runs it or will run it; null while nobody does. */
  owner: string | null
}

/** The life of one turn: `queued → running → (awaiting-approval → running)* → one of the four ends`. */
export type Turn =
  | (TurnBase & {status: 'queued'})
  | (TurnBase & {status: 'running'; startedAt: string})
  | (TurnBase & {status: 'awaiting-approval'; startedAt: string; approvals: string[]})
  | (TurnBase & {status: 'completed'; startedAt: string; finishedAt: string; reply: string; usage: Usage})
  | (TurnBase & {status: 'failed'; startedAt: string | null; finishedAt: string; error: TurnError; usage: Usage})
  | (TurnBase & {status: 'cancelled'; startedAt: string | null; finishedAt: string; partial: string; usage: Usage})
  | (TurnBase & {status: 'interrupted'; startedAt: string | null; finishedAt: string; error: TurnError; usage: Usage})

export type TurnStatus = Turn['status']
export type RunningTurn = Extract<Turn, {status: 'running'}>
export type FinishedTurn = Extract<Turn, {finishedAt: string}>

/** Whether nothing will happen to the turn any more. */
export function isFinished(turn: Turn): turn is FinishedTurn {
  return 'finishedAt' in turn
}
