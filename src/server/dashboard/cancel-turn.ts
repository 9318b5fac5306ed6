import {z} from 'zod'
import {ok, route} from '../route.js'
import {Id, TurnDocument, toTurnDocument} from '../schemas.js'

export default route({
  method: 'POST',
  path: '/api/dashboard/turns/:id/cancel',
  summary: 'Stop a turn, wherever it runs',
  params: z.object({id: Id}),
  replies: {200: TurnDocument},
  failures: ['not-found', 'conflict'],
  handle: async ({app, params}) => ok(toTurnDocument(await app.engine.cancel(params.id, 'dashboard'))),
})
