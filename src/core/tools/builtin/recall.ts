import * as z from 'zod'
import {recall as searchMemory} from '../../memory/memory.js'
import {tool} from '../tool.js'

export const recall = tool({
  name: 'recall',
  description: 'Search what you remembered. No query: the newest notes.',
  input: z.object({query: z.string().max(200).optional().describe('Few keywords; a note has to contain all of them')}),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  run: async ({query = ''}, {app, agent}) => ({lines: await searchMemory(app.home, agent.id, query)}),
})
