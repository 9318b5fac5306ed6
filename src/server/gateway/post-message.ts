import {createHash} from 'node:crypto'
import {z} from 'zod'
import {receive} from '../../core/agent/receive.js'
import type {Turn} from '../../core/agent/turn.js'
import type {App} from '../../core/app.js'
import {type FailureCode, SvcError} from '../../core/errors.js'
import {providerFailureCodes} from '../../core/models/provider.js'
import {ok, route} from '../route.js'
import {Id, ModelName, UsageDocument} from '../schemas.js'
import {LastEventId, streamTurn, TurnEventDocument} from '../turn-stream.js'

const Message = z.strictObject({
  message: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
    .describe('What you want to say'),
  model: ModelName.optional(),
  agent: Id.optional().describe('The default agent when left out'),
  session: Id.optional().describe("A session id or `new`; the agent's main session when left out"),
})

const Reply = z.object({
  reply: z.string(),
  turnId: Id,
  sessionId: Id,
  model: z.string().describe('Full `provider/model`'),
  status: z.literal('completed'),
  toolCalls: z.array(z.object({name: z.string(), status: z.string()})),
  usage: UsageDocument,
  durationMs: z.int(),
})

const Waiting = z
  .object({turnId: Id, sessionId: Id, status: z.literal('awaiting-approval'), approvals: z.array(Id)})
  .describe('The turn waits for its owner. Send the same request with the same Idempotency-Key to wait for the reply')

const turnFailures: FailureCode[] = [
  'not-found',
  'conflict',
  'busy',
  'too-large',
  'unknown-model',
  'provider-not-configured',
  'budget-exceeded',
  'loop-limit',
  'cancelled',
  'interrupted',
  ...providerFailureCodes,
]

export default route({
  method: 'POST',
  path: '/message',
  summary: 'Send a message and wait for the reply, or with Accept: text/event-stream for its events',
  auth: 'none',
  headers: z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .describe('The same key never starts a second turn; remembered for 24 h'),
    'last-event-id': LastEventId.describe('With the same Idempotency-Key: go on after this event'),
  }),
  body: Message,
  replies: {200: Reply, 202: Waiting},
  events: TurnEventDocument,
  failures: turnFailures,
  handle: async ({app, body, headers, signal, wantsEvents}) => {
    const key = headers['idempotency-key']
    const {turn} = await receive(app, {
      text: body.message,
      channel: 'gateway',
      model: body.model,
      agent: body.agent,
      session: body.session,
      ...(key !== undefined && {idempotency: {scope: 'gateway', key, bodyHash: hashOf(body)}}),
    })
    if (wantsEvents) return {stream: streamTurn(app, turn.id, {afterSeq: headers['last-event-id'], signal})}
    return answerOf(app, await app.engine.outcome(turn.id, signal))
  },
})

/** Of what the body means; the order of its keys and its spaces do not count. */
function hashOf({message, model, agent, session}: z.output<typeof Message>): string {
  const meaning = JSON.stringify([message, model ?? null, agent ?? null, session ?? null])
  return createHash('sha256').update(meaning).digest('hex')
}

async function answerOf(app: App, turn: Turn) {
  switch (turn.status) {
    case 'completed':
      return ok({
        reply: turn.reply,
        turnId: turn.id,
        sessionId: turn.sessionId,
        model: turn.model,
        status: turn.status,
        toolCalls: (await app.store.turns.calls(turn.id)).map(({name, status}) => ({name, status})),
        usage: turn.usage,
        durationMs: Date.parse(turn.finishedAt) - Date.parse(turn.createdAt),
      })
    case 'awaiting-approval':
      return {
        status: 202 as const,
        body: {turnId: turn.id, sessionId: turn.sessionId, status: turn.status, approvals: turn.approvals},
      }
    case 'failed':
    case 'interrupted':
      throw new SvcError(turn.error.code, turn.error.detail, {hint: turn.error.hint})
    case 'cancelled':
      throw new SvcError('cancelled', `Turn ${turn.id} was cancelled.`, {
        hint: 'Send the message again under a new Idempotency-Key.',
      })
    default:
      throw new Error(`Turn ${turn.id} has no outcome yet, it is ${turn.status}.`)
  }
}
