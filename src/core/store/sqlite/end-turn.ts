import type {ToolOutput} from '../../agent/tool-call.js'
import type {Turn} from '../../agent/turn.js'
import type {TurnEventBody} from '../../agent/turn-event.js'
import type {Usage} from '../../usage/usage.js'
import type {TurnClaim, TurnEnd} from '../store.js'
import {addMessage} from './messages.js'
import type {Parts} from './parts.js'
import {note, recordStep, usageOf} from './steps.js'
import {readTurn} from './turn-row.js'

/** The one place where a turn ends; inside the transaction that is under way. @param lastDeltas text that was not told yet */
export function endTurn(parts: Parts, turn: TurnClaim | Turn, end: TurnEnd, lastDeltas: TurnEventBody[], at: string): Turn {
  const {database, events} = parts
  if (end.status === 'completed') {
    recordStep(parts, turn, end.step, at)
    for (const message of end.messages) addMessage(database, turn, message, at)
  } else if (end.partial) {
    addMessage(database, turn, {role: 'assistant', content: end.partial}, at, {partial: true})
  }
  database.run(
    `UPDATE tool_calls SET finished_at = ?, status = CASE status WHEN 'running' THEN 'interrupted' ELSE 'cancelled' END,
       output = CASE status WHEN 'running' THEN ? ELSE ? END
     WHERE turn_id = ? AND finished_at IS NULL`,
    at,
    errorText('The turn ended while this ran; its outcome is unknown.'),
    errorText('The turn ended before this call ran.'),
    turn.id,
  )
  database.run("UPDATE approvals SET status = 'expired', decided_at = ? WHERE turn_id = ? AND status = 'pending'", at, turn.id)
  const usage = usageOf(database, turn.id)
  database.run(
    `UPDATE turns SET status = ?, finished_at = ?, reply = ?, error = ?, model = coalesce(?, model),
       input_tokens = ?, output_tokens = ?, cached_tokens = ?, cost_usd = ?, owner = NULL WHERE id = ?`,
    end.status,
    at,
    end.status === 'completed' ? end.reply : end.partial,
    'error' in end ? JSON.stringify(end.error) : null,
    end.status === 'completed' ? end.step.model : null,
    usage.inputTokens,
    usage.outputTokens,
    usage.cachedTokens,
    usage.costUsd,
    turn.id,
  )
  database.run('UPDATE sessions SET updated_at = ? WHERE id = ?', at, turn.sessionId)
  events.add(turn, [...lastDeltas, lastEvent(end, usage)], at)
  note(parts, turn, `turn.${end.status}`, turn.id, 'error' in end ? {code: end.error.code} : {}, at)
  return readTurn(database, turn.id) as Turn
}

const errorText = (value: string) => JSON.stringify({type: 'error-text', value} satisfies ToolOutput)

function lastEvent(end: TurnEnd, usage: Usage): TurnEventBody {
  switch (end.status) {
    case 'completed':
      return {type: 'turn.completed', reply: end.reply, usage, model: end.step.model}
    case 'cancelled':
      return {type: 'turn.cancelled', partial: end.partial}
    default:
      return {type: 'turn.failed', ...end.error}
  }
}
