import {z} from 'zod'
import {isFinished, type Turn} from '../core/agent/turn.js'
import {failures} from '../core/errors.js'
import {ID} from '../core/ids.js'
import {noUsage} from '../core/usage/usage.js'

export const Id = z.string().regex(ID, 'use up to 64 letters, digits, - and _')
export const Time = z.string().meta({format: 'date-time', description: 'ISO 8601, UTC'})

export const ModelName = z.string().trim().min(1, 'must not be empty').max(256).describe('Alias, `provider/model` or bare id')

export const ModelReference = z.object({
  id: z.string().describe('Full `provider/model`'),
  alias: z.string().nullable(),
  provider: z.string(),
})

export const UsageDocument = z.object({
  inputTokens: z.int().describe('All input tokens, the cached ones included'),
  outputTokens: z.int(),
  cachedTokens: z.int(),
  costUsd: z.number().nullable().describe('US dollars; null when the price is not known'),
})

export const StatusDocument = z.object({
  status: z.literal('ok'),
  version: z.string(),
  uptime: z.number().describe('Seconds'),
  startedAt: Time,
  agent: z.object({id: z.string(), name: z.string()}),
  model: ModelReference.extend({error: z.string().optional().describe('Why the model cannot be used')}),
  cronJobs: z.array(z.never()).describe('None in this version'),
  lastMessage: z
    .object({
      role: z.string(),
      channel: z.string(),
      sessionId: z.string(),
      text: z.string().describe('At most 140 characters'),
      at: Time,
    })
    .nullable(),
  turns: z.object({running: z.int(), queued: z.int(), awaiting: z.int()}),
})

export const TurnStatusName = z.enum([
  'queued',
  'running',
  'awaiting-approval',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
])

export const TurnDocument = z.object({
  id: Id,
  sessionId: Id,
  agentId: z.string(),
  channel: z.string().describe('Where the message came from'),
  status: TurnStatusName,
  model: z.string().describe('Full `provider/model`'),
  message: z.string(),
  reply: z.string().nullable().describe('The whole reply, or as much of it as a cancelled turn had'),
  approvals: z.array(Id).describe('What it waits for'),
  createdAt: Time,
  startedAt: Time.nullable(),
  finishedAt: Time.nullable(),
  error: z.object({code: z.enum(Object.keys(failures)), detail: z.string(), hint: z.string().optional()}).nullable(),
  usage: UsageDocument.describe('Zero until the turn has ended'),
})

/** The turn with the same fields in every state, as a table shows it. */
export function toTurnDocument(turn: Turn): z.input<typeof TurnDocument> {
  return {
    id: turn.id,
    sessionId: turn.sessionId,
    agentId: turn.agentId,
    channel: turn.channel,
    status: turn.status,
    model: turn.model,
    message: turn.message,
    reply: turn.status === 'completed' ? turn.reply : turn.status === 'cancelled' ? turn.partial : null,
    approvals: turn.status === 'awaiting-approval' ? turn.approvals : [],
    createdAt: turn.createdAt,
    startedAt: turn.status === 'queued' ? null : turn.startedAt,
    finishedAt: isFinished(turn) ? turn.finishedAt : null,
    error: 'error' in turn ? turn.error : null,
    usage: isFinished(turn) ? turn.usage : noUsage,
  }
}

/** Of every list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(512).optional().describe('The `nextCursor` of the page before'),
}

/** A page of a list, newest first. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({items: z.array(item), nextCursor: z.string().nullable().describe('null on the last page')})
