import {z} from 'zod'
import {findTurn} from '../find-turn.js'
import {route} from '../route.js'
import {Id} from '../schemas.js'
import {LastEventId, streamTurn, TurnEventDocument} from '../turn-stream.js'

export default route({
  method: 'GET',
  path: '/api/dashboard/turns/:id/events',
  summary: 'The events of a turn from its start, as a stream that ends after the last one',
  params: z.object({id: Id}),
  headers: z.object({'last-event-id': LastEventId.describe('Go on after this event')}),
  replies: {},
  events: TurnEventDocument,
  failures: ['not-found'],
  handle: async ({app, params, headers, signal}) => {
    const {id} = await findTurn(app, params.id)
    return {stream: streamTurn(app, id, {afterSeq: headers['last-event-id'], signal})}
  },
})
