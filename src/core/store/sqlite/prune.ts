import {KEY_LIFETIME_MS} from './accept.js'
import type {Database} from './database.js'

/** Few enough to hold the write lock for milliseconds only. */
const TURNS_AT_ONCE = 200

/** The body of `Store.prune`. */
export function prune(database: Database, before: string, at: string): number {
  return database.transaction(() => {
    const forgotten = new Date(Date.parse(at) - KEY_LIFETIME_MS).toISOString()
    database.run('DELETE FROM idempotency WHERE created_at <= ?', forgotten)
    database.run('DELETE FROM login_locks WHERE until <= ?', at)
    database.run('DELETE FROM login_failures WHERE at <= ?', forgotten)

    const due = database.all('SELECT id FROM turns WHERE finished_at < ? ORDER BY finished_at LIMIT ?', before, TURNS_AT_ONCE)
    for (const {id} of due as {id: string}[]) {
      for (const table of ['events', 'tool_calls', 'approvals', 'idempotency'])
        database.run(`DELETE FROM ${table} WHERE turn_id = ?`, id)
      database.run('DELETE FROM turns WHERE id = ?', id)
    }
    return due.length
  })
}
