import type {Turn} from '../../agent/turn.js'
import {SvcError} from '../../errors.js'
import type {IdempotencyKey, Limits, NewTurn} from '../store.js'
import type {Database, Row} from './database.js'
import {addMessage} from './messages.js'
import type {Parts} from './parts.js'
import {readTurn} from './turn-row.js'

/** How long an idempotency key is remembered. */
export const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000

/** The body of `TurnStore.accept`, inside the transaction that is under way. */
export function accept({database, events, audit}: Parts, turn: NewTurn, limits: Limits): {turn: Turn; replayed: boolean} {
  const repeated = turn.idempotency && findRepeated(database, turn.idempotency, turn.at)
  if (repeated) return {turn: repeated, replayed: true}

  const load = database.get(
    `SELECT count(*) FILTER (WHERE status = 'running') AS running, count(*) FILTER (WHERE status = 'queued') AS queued,
       count(*) FILTER (WHERE session_id = ?) AS before FROM turns WHERE finished_at IS NULL`,
    turn.sessionId,
  ) as Record<'running' | 'queued' | 'before', number>
  const startsNow = load.before === 0 && load.running < limits.concurrency
  if (!startsNow && load.queued >= limits.queue) {
    throw new SvcError('busy', `${load.running} turns are running and ${load.queued} are waiting.`, {
      hint: 'Try again in a moment, or raise gateway.queue.',
      retryAfter: 2,
    })
  }

  const number = openSession(database, turn)
  const messageId = addMessage(
    database,
    {id: turn.id, sessionId: turn.sessionId, number},
    {role: 'user', content: turn.message},
    turn.at,
  )
  database.run(
    `INSERT INTO turns (id, session_id, number, agent_id, channel, status, model, message_id, owner, created_at, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    turn.id,
    turn.sessionId,
    number,
    turn.agentId,
    turn.channel,
    startsNow ? 'running' : 'queued',
    turn.model,
    messageId,
    turn.owner,
    turn.at,
    startsNow ? turn.at : null,
  )
  if (turn.idempotency) {
    const {scope, key, bodyHash} = turn.idempotency
    database.run(
      'INSERT OR REPLACE INTO idempotency (scope, key, body_hash, turn_id, created_at) VALUES (?, ?, ?, ?, ?)',
      scope,
      key,
      bodyHash,
      turn.id,
      turn.at,
    )
  }
  if (startsNow) events.add(turn, [{type: 'turn.started', model: turn.model}], turn.at)
  audit.add({at: turn.at, actor: turn.channel, action: 'turn.accepted', subject: turn.id, detail: {sessionId: turn.sessionId}})
  return {turn: readTurn(database, turn.id) as Turn, replayed: false}
}

/** The body of `TurnStore.findRepeated`. */
export function findRepeated(database: Database, idempotency: IdempotencyKey, at: string): Turn | undefined {
  const oldest = new Date(Date.parse(at) - KEY_LIFETIME_MS).toISOString()
  const row = database.get(
    'SELECT turn_id, body_hash FROM idempotency WHERE scope = ? AND key = ? AND created_at > ?',
    idempotency.scope,
    idempotency.key,
    oldest,
  )
  if (!row) return undefined
  if (row.body_hash !== idempotency.bodyHash) {
    throw new SvcError('conflict', 'This Idempotency-Key was used with another body.', {hint: 'Use a new key for a new message.'})
  }
  return readTurn(database, row.turn_id as string)
}

/** Creates the session or adds to it. @returns the new turn's place in it */
function openSession(database: Database, turn: NewTurn): number {
  const session = database.get('SELECT agent_id, turns, deleted_at FROM sessions WHERE id = ?', turn.sessionId)
  if (!session) {
    database.run(
      'INSERT INTO sessions (id, agent_id, channel, title, turns, created_at, updated_at) VALUES (?, ?, ?, ?, 1, ?, ?)',
      turn.sessionId,
      turn.agentId,
      turn.channel,
      turn.title,
      turn.at,
      turn.at,
    )
    return 1
  }
  refuseStrangers(session, turn)
  const number = Number(session.turns) + 1
  database.run('UPDATE sessions SET turns = ?, updated_at = ? WHERE id = ?', number, turn.at, turn.sessionId)
  return number
}

function refuseStrangers(session: Row, turn: NewTurn): void {
  if (session.deleted_at)
    throw new SvcError('not-found', `Session ${turn.sessionId} was deleted.`, {hint: 'Use another session id, or restore it.'})
  if (session.agent_id === turn.agentId) return
  throw new SvcError('invalid-input', `Session ${turn.sessionId} belongs to agent ${session.agent_id}, not to ${turn.agentId}.`, {
    hint: 'Leave the agent out, or use another session.',
    issues: [{path: ['agent'], message: `the session belongs to ${session.agent_id}`}],
  })
}
