import type {Approval} from '../../approvals/approval.js'
import type {ApprovalStore, Page, PageRequest} from '../store.js'
import type {Audit} from './audit.js'
import type {Database, Row} from './database.js'
import type {Events} from './events.js'
import {pageBy} from './page.js'

type Settled = Exclude<Approval, {status: 'pending'}>

/** Questions to the owner. The first answer wins: the phone and the page may answer in the same moment. */
export class Approvals implements ApprovalStore {
  readonly #database: Database
  readonly #events: Events
  readonly #audit: Audit

  constructor(database: Database, events: Events, audit: Audit) {
    this.#database = database
    this.#events = events
    this.#audit = audit
  }

  async get(id: string): Promise<Approval | undefined> {
    const row = this.#database.get('SELECT * FROM approvals WHERE id = ?', id)
    return row && toApproval(row)
  }

  async list(query: PageRequest & {status?: Approval['status'] | undefined}): Promise<Page<Approval>> {
    const [filter, values] = query.status === undefined ? ['', []] : ['AND status = ?', [query.status]]
    return pageBy(query, 'rowid', toApproval, (before, limit) =>
      this.#database.all(
        `SELECT *, rowid FROM approvals WHERE rowid < ? ${filter} ORDER BY rowid DESC LIMIT ?`,
        before,
        ...values,
        limit,
      ),
    )
  }

  async settle(settled: Settled): Promise<boolean> {
    return this.#database.transaction(() => this.#settle(settled))
  }

  async expire(at: string): Promise<string[]> {
    if (!this.#database.value("SELECT 1 FROM approvals WHERE status = 'pending' AND expires_at <= ? LIMIT 1", at)) return []
    return this.#database.transaction(() => {
      const due = this.#database.all("SELECT * FROM approvals WHERE status = 'pending' AND expires_at <= ?", at).map(toApproval)
      for (const approval of due) this.#settle({...approval, status: 'expired', decidedAt: at})
      return [...new Set(due.map((approval) => approval.turnId))]
    })
  }

  #settle(settled: Settled): boolean {
    const by = settled.status === 'expired' ? 'system' : settled.decidedBy
    const changed = this.#database.run(
      `UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?
       WHERE id = ? AND status = 'pending' AND (? = 'expired' OR expires_at > ?)`,
      settled.status,
      settled.decidedAt,
      by,
      settled.id,
      settled.status,
      settled.decidedAt,
    )
    if (changed === 0) return false
    this.#moveCall(settled)
    const turn = {id: settled.turnId, sessionId: settled.sessionId}
    this.#events.add(turn, [{type: 'approval.decided', approvalId: settled.id, decision: settled.status, by}], settled.decidedAt)
    this.#audit.add({
      at: settled.decidedAt,
      actor: by,
      action: `approval.${settled.status}`,
      subject: settled.id,
      detail: {name: settled.name},
    })
    return true
  }

  #moveCall(settled: Settled): void {
    if (settled.status === 'approved') {
      this.#database.run("UPDATE tool_calls SET status = 'approved' WHERE id = ? AND status = 'awaiting'", settled.callId)
      return
    }
    const value = settled.status === 'denied' ? 'The owner denied this call.' : 'Nobody answered in time; the call did not run.'
    this.#database.run(
      "UPDATE tool_calls SET status = ?, output = ?, finished_at = ? WHERE id = ? AND status = 'awaiting'",
      settled.status,
      JSON.stringify({type: 'error-text', value}),
      settled.decidedAt,
      settled.callId,
    )
  }
}

function toApproval(row: Row): Approval {
  const base = {
    id: row.id as string,
    turnId: row.turn_id as string,
    sessionId: row.session_id as string,
    callId: row.call_id as string,
    name: row.name as string,
    input: JSON.parse(row.input as string) as unknown,
    reason: row.reason as string,
    askedAt: row.asked_at as string,
    expiresAt: row.expires_at as string,
  }
  const status = row.status as Approval['status']
  if (status === 'pending') return {...base, status}
  const decidedAt = row.decided_at as string
  return status === 'expired' ? {...base, status, decidedAt} : {...base, status, decidedAt, decidedBy: row.decided_by as string}
}
