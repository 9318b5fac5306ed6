import * as z from 'zod'
import {remember as addNote, longestNote} from '../../memory/memory.js'
import {tool} from '../tool.js'

export const remember = tool({
  name: 'remember',
  description: 'Keep a fact about the user for later conversations. Use it when asked to, or for lasting preferences.',
  input: z.object({text: z.string().trim().min(1).max(longestNote).describe('One self-contained sentence')}),
  // Its own folder, one line, nothing overwritten: nothing the owner would be asked about.
  risk: () => ({level: 'write'}),
  idempotent: false,
  run: async ({text}, {app, agent}) => {
    const note = await addNote(app.home, agent.id, text, app.now())
    return {remembered: note.text, file: note.file}
  },
})
