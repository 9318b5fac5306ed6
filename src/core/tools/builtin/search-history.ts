import * as z from 'zod'
import {tool} from '../tool.js'

const mostHits = 10

export const searchHistory = tool({
  name: 'search_history',
  description: 'Search your past conversations with the user.',
  input: z.object({query: z.string().trim().min(1).max(200).describe('All words must occur; "quotes" for phrases')}),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  run: async ({query}, {app, agent}) => {
    const page = await app.store.sessions.search(query, {limit: mostHits, agentId: agent.id})
    const hits = page.items.map(({sessionId, sessionTitle, role, snippet, at}) => ({
      session: sessionTitle ?? sessionId,
      role,
      at,
      snippet,
    }))
    return {hits, more: page.nextCursor !== null}
  },
})
