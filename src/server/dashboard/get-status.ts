import {describeStatus} from '../../core/status.js'
import {ok, route} from '../route.js'
import {StatusDocument} from '../schemas.js'

export default route({
  method: 'GET',
  path: '/api/dashboard/status',
  summary: 'Agent, model, cron jobs, last message and load',
  replies: {200: StatusDocument},
  handle: async ({app}) => ok(await describeStatus(app)),
})
