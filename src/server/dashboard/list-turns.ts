import {z} from 'zod'
import {ok, route} from '../route.js'
import {Id, pageOf, pageQuery, TurnDocument, TurnStatusName, toTurnDocument} from '../schemas.js'

export default route({
  method: 'GET',
  path: '/api/dashboard/turns',
  summary: 'Turns, newest first',
  query: z.strictObject({...pageQuery, session: Id.optional(), status: TurnStatusName.optional()}),
  replies: {200: pageOf(TurnDocument)},
  handle: async ({app, query: {session, ...query}}) => {
    const page = await app.store.turns.list({...query, sessionId: session})
    return ok({items: page.items.map(toTurnDocument), nextCursor: page.nextCursor})
  },
})
