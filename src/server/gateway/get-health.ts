import {z} from 'zod'
import {reply, route} from '../route.js'
import {storeTrouble} from '../store-health.js'

const uptime = z.number().describe('Seconds since the start')

export default route({
  method: 'GET',
  path: '/health',
  summary: 'Whether the service works',
  auth: 'none',
  replies: {
    200: z.object({status: z.literal('ok'), uptime}),
    503: z.object({status: z.literal('degraded'), uptime, reason: z.string()}).describe('The store cannot be written'),
  },
  handle: async ({app}) => {
    const trouble = storeTrouble(app)
    // Awaiting a value that is there already would cost a turn of the loop.
    const reason = trouble instanceof Promise ? await trouble : trouble
    const uptime = (app.now().getTime() - app.startedAt.getTime()) / 1000
    return reason === undefined ? reply(200, {status: 'ok', uptime}) : reply(503, {status: 'degraded', uptime, reason})
  },
})
