import type {Usage} from '../../usage/usage.js'
import type {StepRecord, TurnClaim} from '../store.js'
import type {Database} from './database.js'
import type {Parts} from './parts.js'

/** What one model call cost. */
export function recordStep(parts: Parts, turn: Pick<TurnClaim, 'id'>, step: StepRecord, at: string): void {
  parts.database.run(
    `INSERT INTO steps (turn_id, session_id, agent_id, channel, step, model, input_tokens, output_tokens, cached_tokens,
       cost_usd, duration_ms, first_token_ms, at)
     SELECT id, session_id, agent_id, channel, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM turns WHERE id = ?`,
    step.step,
    step.model,
    step.usage.inputTokens,
    step.usage.outputTokens,
    step.usage.cachedTokens,
    step.usage.costUsd,
    Math.round(step.durationMs),
    step.firstTokenMs === null ? null : Math.round(step.firstTokenMs),
    at,
    turn.id,
  )
  note(parts, turn, 'model.called', turn.id, {step: step.step, model: step.model}, at)
}

/** What all model calls of the turn cost together. */
export function usageOf(database: Database, turnId: string): Usage {
  const row = database.get(
    `SELECT coalesce(sum(input_tokens), 0) AS input, coalesce(sum(output_tokens), 0) AS output,
       coalesce(sum(cached_tokens), 0) AS cached, sum(cost_usd) AS cost, count(*) - count(cost_usd) AS unpriced
     FROM steps WHERE turn_id = ?`,
    turnId,
  )
  return {
    inputTokens: Number(row?.input),
    outputTokens: Number(row?.output),
    cachedTokens: Number(row?.cached),
    costUsd: Number(row?.unpriced) > 0 ? null : Number(row?.cost ?? 0),
  }
}

/** Adds what the turn's agent did to the audit. */
export function note(
  {database, audit}: Parts,
  turn: Pick<TurnClaim, 'id'>,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
  at: string,
): void {
  const agent = database.value('SELECT agent_id FROM turns WHERE id = ?', turn.id)
  audit.add({at, actor: `agent:${agent}`, action, subject, detail})
}
