import {describeStatus} from '../../core/status.js'
import {ok, route} from '../route.js'
import {StatusDocument} from '../schemas.js'

export default route({
  method: 'GET',
  path: '/status',
  summary: 'Agent, model, cron jobs, last message and load',
  auth: 'none',
  replies: {200: StatusDocument},
  handle: async ({app}) => ok(await describeStatus(app)),
})
