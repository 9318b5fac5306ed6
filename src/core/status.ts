import type {App} from './app.js'
import {findAgent} from './config/agents.js'
import {describeActiveModel, type ModelRef} from './models/active.js'

/** Characters of the last message that the status shows. */
const LONGEST_TEXT = 140

export interface Status {
  status: 'ok'
  version: string
  /** Seconds since the start of this process. */
  uptime: number
  startedAt: string
  agent: {id: string; name: string}
  /** With the reason when it cannot be used. */
  model: ModelRef & {error?: string}
  cronJobs: never[]
  lastMessage: {role: string; channel: string; sessionId: string; text: string; at: string} | null
  turns: {running: number; queued: number; awaiting: number}
}

/** What `/status`, the page and `svc status` say. */
export async function describeStatus(app: App): Promise<Status> {
  const {id, name} = findAgent(app.config)
  const last = await app.store.sessions.lastMessage()
  return {
    status: 'ok',
    version: app.version,
    uptime: (app.now().getTime() - app.startedAt.getTime()) / 1000,
    startedAt: app.startedAt.toISOString(),
    agent: {id, name},
    model: await describeActiveModel(app),
    cronJobs: [],
    lastMessage: last && {...last, text: shorten(last.text)},
    turns: await app.store.turns.counts(),
  }
}

/** Cut between characters, never inside one. */
function shorten(text: string): string {
  const characters = [...text.slice(0, LONGEST_TEXT * 2)]
  return characters.length <= LONGEST_TEXT ? text : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`
}
