import {z} from 'zod'
import {ok, route} from '../route.js'
import {Id, pageOf, pageQuery, Time} from '../schemas.js'

const Hit = z.object({
  sessionId: Id,
  sessionTitle: z.string().nullable(),
  turnId: Id,
  messageId: z.int(),
  role: z.string(),
  snippet: z.string().describe('The text around the words, the words between `[` and `]`'),
  at: Time,
})

export default route({
  method: 'GET',
  path: '/api/dashboard/search',
  summary: 'Messages that have all the words, newest first; quotes make a phrase',
  query: z.strictObject({
    ...pageQuery,
    q: z
      .string()
      .max(1000)
      .refine((words) => words.trim() !== '', 'must not be empty'),
  }),
  replies: {200: pageOf(Hit)},
  handle: async ({app, query: {q, ...page}}) => ok(await app.store.sessions.search(q, page)),
})
