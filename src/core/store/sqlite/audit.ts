import {createHash} from 'node:crypto'
import type {AuditEntry, AuditStore, Page, PageRequest} from '../store.js'
import type {Database, Row} from './database.js'
import {pageBy} from './page.js'

/** Append-only; each entry's hash covers the one before, so that an edit or a gap shows. */
export class Audit implements AuditStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** For the other stores: adds an entry inside the transaction that is under way. */
  add(entry: Omit<AuditEntry, 'seq' | 'hash'>): void {
    const before = this.#database.value('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1') ?? ''
    const detail = JSON.stringify(entry.detail)
    const hash = createHash('sha256')
      .update(JSON.stringify([before, entry.at, entry.actor, entry.action, entry.subject, detail]))
      .digest('hex')
    this.#database.run(
      'INSERT INTO audit (at, actor, action, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?)',
      entry.at,
      entry.actor,
      entry.action,
      entry.subject,
      detail,
      hash,
    )
  }

  async append(entry: Omit<AuditEntry, 'seq' | 'hash'>): Promise<void> {
    this.#database.transaction(() => this.add(entry))
  }

  async list(page: PageRequest): Promise<Page<AuditEntry>> {
    return pageBy(page, 'seq', toEntry, (before, limit) =>
      this.#database.all('SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?', before, limit),
    )
  }
}

function toEntry(row: Row): AuditEntry {
  return {
    seq: Number(row.seq),
    at: row.at as string,
    actor: row.actor as string,
    action: row.action as string,
    subject: row.subject as string,
    detail: JSON.parse(row.detail as string) as Record<string, unknown>,
    hash: row.hash as string,
  }
}
