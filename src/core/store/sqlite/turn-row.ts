import type {FinishedCall, ToolCall, ToolOutput} from '../../agent/tool-call.js'
import type {Turn, TurnError} from '../../agent/turn.js'
import type {Database, Row} from './database.js'

/** A turn with the text of its message; every query over turns starts with it. */
export const SELECT_TURN = 'SELECT t.*, t.rowid, m.text AS message FROM turns t JOIN messages m ON m.id = t.message_id'

export function readTurn(database: Database, id: string): Turn | undefined {
  const row = database.get(`${SELECT_TURN} WHERE t.id = ?`, id)
  return row && toTurn(database, row)
}

export function toTurn(database: Database, row: Row): Turn {
  const base = {
    id: row.id as string,
    sessionId: row.session_id as string,
    number: Number(row.number),
    agentId: row.agent_id as string,
    channel: row.channel as string,
    model: row.model as string,
    message: row.message as string,
    createdAt: row.created_at as string,
    takeovers: Number(row.takeovers),
    owner: row.owner as string | null,
  }
  const startedAt = row.started_at as string
  const finishedAt = row.finished_at as string
  const usage = {
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cachedTokens: Number(row.cached_tokens),
    costUsd: row.cost_usd as number | null,
  }
  const status = row.status as Turn['status']
  switch (status) {
    case 'queued':
      return {...base, status}
    case 'running':
      return {...base, status, startedAt}
    case 'awaiting-approval':
      return {...base, status, startedAt, approvals: pendingApprovals(database, base.id)}
    case 'completed':
      return {...base, status, startedAt, finishedAt, usage, reply: row.reply as string}
    case 'cancelled':
      return {...base, status, startedAt, finishedAt, usage, partial: (row.reply as string | null) ?? ''}
    case 'failed':
    case 'interrupted':
      return {...base, status, startedAt, finishedAt, usage, error: JSON.parse(row.error as string) as TurnError}
  }
}

export function toCall(row: Row): ToolCall {
  const base = {
    id: row.id as string,
    turnId: row.turn_id as string,
    step: Number(row.step),
    providerCallId: row.provider_call_id as string,
    name: row.name as string,
    input: JSON.parse(row.input as string) as unknown,
  }
  const status = row.status as ToolCall['status']
  switch (status) {
    case 'pending':
    case 'approved':
      return {...base, status}
    case 'awaiting':
      return {...base, status, approvalId: row.approval_id as string}
    case 'running':
      return {...base, status, startedAt: row.started_at as string}
    default:
      return {
        ...base,
        status: status satisfies FinishedCall['status'],
        output: JSON.parse(row.output as string) as ToolOutput,
        finishedAt: row.finished_at as string,
      }
  }
}

function pendingApprovals(database: Database, turnId: string): string[] {
  return database
    .all("SELECT approval_id FROM tool_calls WHERE turn_id = ? AND status = 'awaiting' ORDER BY rowid", turnId)
    .map((row) => row.approval_id as string)
}
