import type {ModelMessage} from 'ai'
import type {TurnClaim} from '../store.js'
import type {Database} from './database.js'

/** Adds one message to the history inside the transaction that is under way. @returns its id */
export function addMessage(
  database: Database,
  turn: Pick<TurnClaim, 'id' | 'sessionId' | 'number'>,
  message: ModelMessage,
  at: string,
  {partial = false} = {},
): number {
  return database.insert(
    'INSERT INTO messages (session_id, turn_id, turn_number, role, content, text, partial, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    turn.sessionId,
    turn.id,
    turn.number,
    message.role,
    JSON.stringify(message),
    textOf(message),
    partial ? 1 : 0,
    at,
  )
}

/** What a person said or read in it; what tools said stays out of the search. */
export function textOf(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter(Boolean)
    .join('\n')
}
