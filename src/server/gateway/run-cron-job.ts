import {z} from 'zod'
import {SvcError} from '../../core/errors.js'
import {route} from '../route.js'
import {Id} from '../schemas.js'

export default route({
  method: 'POST',
  path: '/cron/:id/run',
  summary: 'Run a cron job now',
  auth: 'none',
  params: z.object({id: z.string().min(1).max(256)}),
  replies: {202: z.object({runId: Id, jobId: z.string(), status: z.literal('queued')}).describe('The run is queued')},
  failures: ['not-found', 'conflict', 'bad-schedule'],
  handle: async ({params}) => {
    throw new SvcError('not-found', `There is no cron job ${params.id}.`, {
      hint: 'This home has no cron jobs; GET /status lists them.',
    })
  },
})
