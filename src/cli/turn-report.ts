import type {Turn} from '../core/agent/turn.js'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'

/** What became of a turn, in the form in which POST /message answers. */
export async function reportTurn(app: App, turn: Turn) {
  const {id: turnId, sessionId, model, status, createdAt} = turn
  if (turn.status === 'awaiting-approval') return {turnId, sessionId, model, status, approvals: turn.approvals}
  if (!('finishedAt' in turn)) return {turnId, sessionId, model, status}
  const calls = await app.store.turns.calls(turnId)
  return {
    reply: turn.status === 'completed' ? turn.reply : turn.status === 'cancelled' ? turn.partial : null,
    turnId,
    sessionId,
    model,
    status,
    toolCalls: calls.map(({name, status}) => ({name, status})),
    usage: turn.usage,
    durationMs: Date.parse(turn.finishedAt) - Date.parse(createdAt),
  }
}

/** Why the turn has no reply; undefined when it has one. */
export async function failureOf(app: App, turn: Turn): Promise<SvcError | undefined> {
  const where = `in session ${turn.sessionId}`
  switch (turn.status) {
    case 'completed':
      return undefined
    case 'awaiting-approval': {
      const asked = await Promise.all(turn.approvals.map((id) => app.store.approvals.get(id)))
      const cause = asked.map((approval) => approval && `${approval.id}: ${approval.name} (${approval.reason})`).join('\n')
      const hint = `svc turns show ${turn.id}`
      return new SvcError('awaiting-approval', 'The turn waits for your approval.', {hint, cause: new Error(cause)})
    }
    case 'failed':
    case 'interrupted': {
      const {code, detail, hint = `svc turns retry ${turn.id}`} = turn.error
      return new SvcError(code, detail, {hint, cause: new Error(`Your message is kept ${where}, as ${turn.id}.`)})
    }
    case 'cancelled': {
      const kept = turn.partial ? `What was said so far is kept ${where}.` : `Your message is kept ${where}.`
      return new SvcError('cancelled', 'The turn was cancelled.', {hint: `svc turns retry ${turn.id}`, cause: new Error(kept)})
    }
    default:
      return new SvcError('interrupted', 'The turn is not finished.', {hint: `svc turns show ${turn.id}`})
  }
}
