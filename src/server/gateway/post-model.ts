import {z} from 'zod'
import {switchModel} from '../../core/models/active.js'
import {ok, route} from '../route.js'
import {ModelName, ModelReference} from '../schemas.js'

export default route({
  method: 'POST',
  path: '/model',
  summary: 'Switch the active model; it stays after a restart',
  auth: 'none',
  body: z.strictObject({model: ModelName}),
  replies: {200: z.object({model: ModelReference, previous: ModelReference})},
  failures: ['unknown-model', 'provider-not-configured'],
  handle: async ({app, body}) => ok(await switchModel(app, body.model, 'gateway')),
})
