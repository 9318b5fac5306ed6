import {z} from 'zod'
import type {ToolCall} from '../../core/agent/tool-call.js'
import type {App} from '../../core/app.js'
import {findTurn} from '../find-turn.js'
import {ok, route} from '../route.js'
import {Id, Time, TurnDocument, toTurnDocument} from '../schemas.js'

const CallDocument = z.object({
  id: z.string(),
  step: z.int().describe('The model step that asked for it, from 1'),
  name: z.string(),
  input: z.unknown(),
  status: z.string(),
  approvalId: z.string().nullable(),
  output: z.unknown().describe('null until the call has ended'),
  finishedAt: Time.nullable(),
})

export default route({
  method: 'GET',
  path: '/api/dashboard/turns/:id',
  summary: 'One turn with its tool calls',
  params: z.object({id: Id}),
  replies: {200: TurnDocument.extend({calls: z.array(CallDocument), events: z.int().describe('How many events it has so far')})},
  failures: ['not-found'],
  handle: async ({app, params}) => {
    const turn = await findTurn(app, params.id)
    const calls = await app.store.turns.calls(turn.id)
    return ok({...toTurnDocument(turn), calls: calls.map(toCallDocument), events: await countEvents(app, turn.id)})
  },
})

function toCallDocument(call: ToolCall): z.input<typeof CallDocument> {
  const {id, step, name, input, status} = call
  return {
    id,
    step,
    name,
    input,
    status,
    approvalId: call.status === 'awaiting' ? call.approvalId : null,
    output: 'output' in call ? call.output : null,
    finishedAt: 'finishedAt' in call ? call.finishedAt : null,
  }
}

async function countEvents(app: App, turnId: string): Promise<number> {
  let count = 0
  for (let last = 0; ; ) {
    const events = await app.store.events.ofTurn(turnId, last, 1000)
    count += events.length
    if (events.length < 1000) return count
    last = events.at(-1)?.seq ?? last
  }
}
