import {z} from 'zod'
import {activeModel, toRef} from '../../core/models/active.js'
import {ok, route} from '../route.js'
import {ModelReference} from '../schemas.js'

export default route({
  method: 'GET',
  path: '/api/dashboard/model',
  summary: 'The active model',
  replies: {200: z.object({model: ModelReference})},
  handle: async ({app}) => ok({model: toRef(await activeModel(app))}),
})
