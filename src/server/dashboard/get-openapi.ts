import {z} from 'zod'
import {openapi} from '../openapi.js'
import {ok, route} from '../route.js'

export default route({
  method: 'GET',
  path: '/api/dashboard/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  replies: {200: z.looseObject({openapi: z.string(), paths: z.record(z.string(), z.unknown())})},
  handle: async ({app, routes}) => ok({...openapi(routes, app.version)}),
})
