import type {ModelMessage} from 'ai'
import type {Channel} from '../../agent/turn.js'
import type {Session} from '../../sessions/session.js'
import type {Page, PageRequest, SearchHit, SessionStore, StoredMessage} from '../store.js'
import type {Database, Row} from './database.js'
import {badCursor, pageBy} from './page.js'
import {toMatch} from './search-query.js'

/** Conversations: their history as the model reads it, their pages as a person does, and the search over all of them. */
export class Sessions implements SessionStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get(id: string): Promise<Session | undefined> {
    const row = this.#database.get('SELECT * FROM sessions WHERE id = ? AND deleted_at IS NULL', id)
    return row && toSession(row)
  }

  async list({limit, cursor}: PageRequest): Promise<Page<Session>> {
    const [updatedAt, id] = cursor === undefined ? ['9999', ''] : readCursor(cursor)
    const rows = this.#database.all(
      `SELECT * FROM sessions WHERE deleted_at IS NULL AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT ?`,
      updatedAt,
      id,
      limit + 1,
    )
    const items = rows.slice(0, limit).map(toSession)
    const last = items.at(-1)
    return {items, nextCursor: rows.length > limit && last ? `${last.updatedAt}~${last.id}` : null}
  }

  async history(sessionId: string, upTo: number): Promise<{summary: string | null; messages: StoredMessage[]}> {
    const summary = this.#database.get(
      'SELECT up_to, text FROM session_summaries WHERE session_id = ? AND up_to < ? ORDER BY up_to DESC LIMIT 1',
      sessionId,
      upTo,
    )
    const rows = this.#database.all(
      `SELECT * FROM messages WHERE session_id = ? AND turn_number > ? AND turn_number <= ? ORDER BY turn_number, id`,
      sessionId,
      Number(summary?.up_to ?? 0),
      upTo,
    )
    return {summary: (summary?.text as string | undefined) ?? null, messages: rows.map(toMessage)}
  }

  async addSummary(sessionId: string, upTo: number, text: string, at: string): Promise<void> {
    this.#database.transaction(() => {
      this.#database.run(
        'INSERT OR REPLACE INTO session_summaries (session_id, up_to, text, created_at) VALUES (?, ?, ?, ?)',
        sessionId,
        upTo,
        text,
        at,
      )
    })
  }

  async messages(sessionId: string, {limit, cursor}: PageRequest): Promise<Page<StoredMessage>> {
    const [turnNumber, id] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0] : readCursor(cursor).map(Number)
    if (!Number.isSafeInteger(turnNumber) || !Number.isSafeInteger(id)) throw badCursor()
    const rows = this.#database.all(
      `SELECT * FROM messages WHERE session_id = ? AND (turn_number, id) < (?, ?) ORDER BY turn_number DESC, id DESC LIMIT ?`,
      sessionId,
      turnNumber as number,
      id as number,
      limit + 1,
    )
    const items = rows.slice(0, limit).map(toMessage)
    const last = items.at(-1)
    return {items, nextCursor: rows.length > limit && last ? `${last.turnNumber}~${last.id}` : null}
  }

  async setModel(sessionId: string, model: string | null): Promise<void> {
    this.#database.transaction(() => {
      this.#database.run('UPDATE sessions SET model = ? WHERE id = ?', model, sessionId)
    })
  }

  async search(query: string, page: PageRequest & {agentId?: string | undefined}): Promise<Page<SearchHit>> {
    const match = toMatch(query)
    const ofAgent = page.agentId === undefined ? '' : 'AND s.agent_id = ?'
    return pageBy(page, 'id', toHit, (before, limit) =>
      this.#database.all(
        `SELECT m.id, m.session_id, m.turn_id, m.role, m.created_at, s.title,
           snippet(message_search, 0, '[', ']', '…', 16) AS snippet
         FROM message_search JOIN messages m ON m.id = message_search.rowid
         JOIN sessions s ON s.id = m.session_id AND s.deleted_at IS NULL
         WHERE message_search MATCH ? AND message_search.rowid < ? ${ofAgent}
         ORDER BY message_search.rowid DESC LIMIT ?`,
        match,
        before,
        ...(page.agentId === undefined ? [] : [page.agentId]),
        limit,
      ),
    )
  }

  async lastMessage(): Promise<{role: string; channel: Channel; sessionId: string; text: string; at: string} | null> {
    const row = this.#database.get(
      // The turn may be forgotten already.
      `SELECT m.role, m.text, m.session_id, m.created_at, coalesce(t.channel, s.channel) AS channel
       FROM messages m JOIN sessions s ON s.id = m.session_id LEFT JOIN turns t ON t.id = m.turn_id
       WHERE m.text <> '' ORDER BY m.id DESC LIMIT 1`,
    )
    if (!row) return null
    return {
      role: row.role as string,
      channel: row.channel as string,
      sessionId: row.session_id as string,
      text: row.text as string,
      at: row.created_at as string,
    }
  }
}

function readCursor(cursor: string | undefined): [string, string] {
  const [first, second, ...rest] = (cursor ?? '').split('~')
  if (!first || !second || rest.length > 0) throw badCursor()
  return [first, second]
}

function toSession(row: Row): Session {
  return {
    id: row.id as string,
    agentId: row.agent_id as string,
    channel: row.channel as string,
    title: row.title as string | null,
    model: row.model as string | null,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
  }
}

function toMessage(row: Row): StoredMessage {
  return {
    id: Number(row.id),
    turnId: row.turn_id as string,
    turnNumber: Number(row.turn_number),
    message: JSON.parse(row.content as string) as ModelMessage,
    partial: row.partial === 1,
    at: row.created_at as string,
  }
}

function toHit(row: Row): SearchHit {
  return {
    sessionId: row.session_id as string,
    sessionTitle: row.title as string | null,
    turnId: row.turn_id as string,
    messageId: Number(row.id),
    role: row.role as string,
    snippet: row.snippet as string,
    at: row.created_at as string,
  }
}
