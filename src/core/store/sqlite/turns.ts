import type {ModelMessage} from 'ai'
import type {FinishedCall, ToolCall, ToolOutput} from '../../agent/tool-call.js'
import type {RunningTurn, Turn, TurnStatus} from '../../agent/turn.js'
import type {TurnEventBody} from '../../agent/turn-event.js'
import type {Approval} from '../../approvals/approval.js'
import {SvcError} from '../../errors.js'
import {newId} from '../../ids.js'
import type {Usage} from '../../usage/usage.js'
import type {
  IdempotencyKey,
  Limits,
  NewTurn,
  Page,
  PageRequest,
  StepRecord,
  StepReply,
  TurnClaim,
  TurnEnd,
  TurnStore,
} from '../store.js'
import {accept, findRepeated} from './accept.js'
import type {Audit} from './audit.js'
import type {Database} from './database.js'
import {endTurn} from './end-turn.js'
import {type Events, requireClaim} from './events.js'
import {addMessage} from './messages.js'
import {pageBy} from './page.js'
import type {Parts} from './parts.js'
import {note, recordStep, usageOf} from './steps.js'
import {readTurn, SELECT_TURN, toCall, toTurn} from './turn-row.js'

/** A turn that was taken over so often without ending has most likely killed every process that ran it. */
const MOST_TAKEOVERS = 3

/** Turns and the journal of their tool calls. */
export class Turns implements TurnStore {
  readonly #database: Database
  readonly #events: Events
  readonly #audit: Audit
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    this.#database = parts.database
    this.#events = parts.events
    this.#audit = parts.audit
  }

  async accept(turn: NewTurn, limits: Limits): Promise<{turn: Turn; replayed: boolean}> {
    return this.#database.transaction(() => accept(this.#parts, turn, limits))
  }

  async findRepeated(idempotency: IdempotencyKey, at: string): Promise<Turn | undefined> {
    return findRepeated(this.#database, idempotency, at)
  }

  async get(id: string): Promise<Turn | undefined> {
    return readTurn(this.#database, id)
  }

  async list(query: PageRequest & {sessionId?: string | undefined; status?: TurnStatus | undefined}): Promise<Page<Turn>> {
    const filters: [string, string][] = []
    if (query.sessionId !== undefined) filters.push(['t.session_id = ?', query.sessionId])
    if (query.status !== undefined) filters.push(['t.status = ?', query.status])
    const where = ['t.rowid < ?', ...filters.map(([sql]) => sql)].join(' AND ')
    return pageBy(
      query,
      'rowid',
      (row) => toTurn(this.#database, row),
      (before, limit) =>
        this.#database.all(
          `${SELECT_TURN} WHERE ${where} ORDER BY t.rowid DESC LIMIT ?`,
          before,
          ...filters.map(([, value]) => value),
          limit,
        ),
    )
  }

  async counts(): Promise<{running: number; queued: number; awaiting: number}> {
    // Not grouped: that would lead SQLite to the index by status, and so through every turn there ever was.
    const row = this.#database.get(
      `SELECT count(*) FILTER (WHERE status = 'running') AS running, count(*) FILTER (WHERE status = 'queued') AS queued,
         count(*) FILTER (WHERE status = 'awaiting-approval') AS awaiting FROM turns WHERE finished_at IS NULL`,
    )
    return {running: Number(row?.running), queued: Number(row?.queued), awaiting: Number(row?.awaiting)}
  }

  async claimNext(owner: string, limits: Limits, at: string): Promise<RunningTurn | undefined> {
    return this.#database.transaction(() => {
      if (this.#running() >= limits.concurrency) return undefined
      const row = this.#database.get(`${SELECT_TURN} WHERE t.owner = ? AND ${MAY_RUN} ORDER BY t.rowid LIMIT 1`, owner)
      if (!row) return undefined
      const id = row.id as string
      this.#database.run("UPDATE turns SET status = 'running', started_at = coalesce(started_at, ?) WHERE id = ?", at, id)
      if (!row.started_at) {
        this.#events.add({id, sessionId: row.session_id as string}, [{type: 'turn.started', model: row.model as string}], at)
      }
      return readTurn(this.#database, id) as RunningTurn
    })
  }

  async hasWaiting(owner: string): Promise<boolean> {
    const waiting = `SELECT 1 FROM turns t WHERE t.finished_at IS NULL AND t.owner = ? AND ${UNASKED} LIMIT 1`
    return this.#database.value(waiting, owner) !== undefined
  }

  async addStep(claim: TurnClaim, step: StepRecord, reply: StepReply, events: TurnEventBody[], at: string): Promise<ToolCall[]> {
    return this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      recordStep(this.#parts, claim, step, at)
      for (const message of reply.messages) addMessage(this.#database, claim, message, at)
      const told: TurnEventBody[] = []
      for (const call of reply.calls) {
        const id = newId('call')
        const output: ToolOutput | null = call.invalid === undefined ? null : {type: 'error-text', value: call.invalid}
        if (output) told.push({type: 'tool.finished', callId: id, name: call.name, status: 'invalid', output})
        this.#database.run(
          `INSERT INTO tool_calls (id, turn_id, step, provider_call_id, name, input, status, output, finished_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          id,
          claim.id,
          step.step,
          call.id,
          call.name,
          JSON.stringify(call.input ?? null),
          output ? 'invalid' : 'pending',
          output && JSON.stringify(output),
          output && at,
        )
      }
      this.#events.add(claim, [...events, ...told], at)
      return this.#calls(claim.id)
    })
  }

  async addCost(claim: TurnClaim, step: StepRecord, at: string): Promise<void> {
    this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      recordStep(this.#parts, claim, step, at)
    })
  }

  async calls(turnId: string): Promise<ToolCall[]> {
    return this.#calls(turnId)
  }

  async startCall(claim: TurnClaim, callId: string, at: string): Promise<void> {
    this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      const call = this.#call(callId)
      this.#database.run("UPDATE tool_calls SET status = 'running', started_at = ? WHERE id = ?", at, callId)
      this.#events.add(claim, [{type: 'tool.started', callId, name: call.name, input: call.input}], at)
    })
  }

  async finishCall(
    claim: TurnClaim,
    callId: string,
    {status, output}: {status: FinishedCall['status']; output: ToolOutput},
    at: string,
  ): Promise<void> {
    this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      const {name} = this.#call(callId)
      this.#database.run(
        'UPDATE tool_calls SET status = ?, output = ?, finished_at = ? WHERE id = ?',
        status,
        JSON.stringify(output),
        at,
        callId,
      )
      this.#events.add(claim, [{type: 'tool.finished', callId, name, status, output}], at)
      note(this.#parts, claim, 'tool.finished', callId, {name, status}, at)
    })
  }

  async addToolResults(claim: TurnClaim, message: ModelMessage, at: string): Promise<void> {
    this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      addMessage(this.#database, claim, message, at)
    })
  }

  async askFor(claim: TurnClaim, approval: Extract<Approval, {status: 'pending'}>): Promise<void> {
    const {id, callId, name, input, reason, askedAt, expiresAt} = approval
    this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      this.#database.run(
        `INSERT INTO approvals (id, turn_id, session_id, call_id, name, input, reason, status, asked_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
        id,
        claim.id,
        claim.sessionId,
        callId,
        name,
        JSON.stringify(input ?? null),
        reason,
        askedAt,
        expiresAt,
      )
      this.#database.run("UPDATE tool_calls SET status = 'awaiting', approval_id = ? WHERE id = ?", id, callId)
      this.#events.add(claim, [{type: 'approval.requested', approvalId: id, callId, name, input, reason, expiresAt}], askedAt)
      note(this.#parts, claim, 'approval.requested', id, {name, reason}, askedAt)
    })
  }

  async park(claim: TurnClaim): Promise<boolean> {
    return this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      const parked = this.#database.run(
        "UPDATE turns SET status = 'awaiting-approval' WHERE id = ? AND cancel_by IS NULL",
        claim.id,
      )
      if (parked > 0) this.#events.touch(claim.id)
      return parked > 0
    })
  }

  async finish(claim: TurnClaim, end: TurnEnd, events: TurnEventBody[], at: string): Promise<Turn> {
    return this.#database.transaction(() => {
      requireClaim(this.#database, claim)
      return endTurn(this.#parts, claim, end, events, at)
    })
  }

  async usage(turnId: string): Promise<Usage> {
    return usageOf(this.#database, turnId)
  }

  async spentSince(at: string): Promise<number> {
    return Number(this.#database.value('SELECT sum(cost_usd) FROM steps WHERE at >= ?', at) ?? 0)
  }

  async cancelRequested(turnId: string): Promise<boolean> {
    return this.#database.value('SELECT 1 FROM turns WHERE id = ? AND cancel_by IS NOT NULL', turnId) !== undefined
  }

  async requestCancel(turnId: string, by: string, at: string): Promise<Turn> {
    return this.#database.transaction(() => {
      const turn = readTurn(this.#database, turnId)
      if (!turn) throw new SvcError('not-found', `There is no turn ${turnId}.`, {hint: 'svc turns list'})
      if ('finishedAt' in turn) throw new SvcError('conflict', `Turn ${turnId} is ${turn.status} already.`)
      this.#database.run('UPDATE turns SET cancel_by = ? WHERE id = ?', by, turnId)
      this.#audit.add({at, actor: by, action: 'turn.cancel', subject: turnId, detail: {}})
      // A running turn is ended by whoever runs it, or by who takes it over.
      return turn.status === 'running' ? turn : endTurn(this.#parts, turn, {status: 'cancelled', partial: ''}, [], at)
    })
  }

  async release(owner: string): Promise<void> {
    this.#database.transaction(() => {
      this.#database.run(
        `UPDATE turns SET owner = NULL, status = CASE status WHEN 'running' THEN 'queued' ELSE status END
         WHERE finished_at IS NULL AND owner = ?`,
        owner,
      )
    })
  }

  async ownersOfUnfinished(): Promise<(string | null)[]> {
    return this.#database
      .all('SELECT DISTINCT owner FROM turns WHERE finished_at IS NULL')
      .map((row) => row.owner as string | null)
  }

  async takeOver(deadOwners: (string | null)[], owner: string, at: string): Promise<number> {
    return this.#database.transaction(() => {
      const orphans = this.#database
        .all(`${SELECT_TURN} WHERE t.finished_at IS NULL ORDER BY t.rowid`)
        .filter((row) => deadOwners.includes(row.owner as string | null))
        .map((row) => toTurn(this.#database, row))
      for (const turn of orphans) this.#takeOne(turn, owner, at)
      return orphans.length
    })
  }

  #takeOne(turn: Turn, owner: string, at: string): void {
    // Only the running turn can have been the reason why its process died.
    const takeovers = turn.takeovers + (turn.status === 'running' ? 1 : 0)
    if (takeovers > MOST_TAKEOVERS) {
      const detail = `${MOST_TAKEOVERS + 1} processes died while they ran this turn.`
      const error = {code: 'interrupted' as const, detail, hint: 'Send the message again if you still want the answer.'}
      endTurn(this.#parts, turn, {status: 'interrupted', error, partial: ''}, [], at)
      return
    }
    this.#database.run(
      `UPDATE turns SET owner = ?, takeovers = ?, status = CASE status WHEN 'running' THEN 'queued' ELSE status END WHERE id = ?`,
      owner,
      takeovers,
      turn.id,
    )
    this.#audit.add({at, actor: 'system', action: 'turn.taken-over', subject: turn.id, detail: {takeovers}})
  }

  #running(): number {
    return Number(this.#database.value("SELECT count(*) FROM turns WHERE finished_at IS NULL AND status = 'running'"))
  }

  #calls(turnId: string): ToolCall[] {
    return this.#database.all('SELECT * FROM tool_calls WHERE turn_id = ? ORDER BY rowid', turnId).map(toCall)
  }

  #call(callId: string): ToolCall {
    const row = this.#database.get('SELECT * FROM tool_calls WHERE id = ?', callId)
    if (!row) throw new Error(`There is no tool call ${callId}.`)
    return toCall(row)
  }
}

/** Whether the turn `t` waits, and not for its owner's answer. */
const UNASKED = `(t.status = 'queued' OR (t.status = 'awaiting-approval'
    AND NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.turn_id = t.id AND c.status = 'awaiting')))`

/** Whether the turn `t` has its session to itself and nobody left to wait for. */
const MAY_RUN = `t.finished_at IS NULL AND ${UNASKED}
  AND NOT EXISTS (SELECT 1 FROM turns e WHERE e.session_id = t.session_id AND e.finished_at IS NULL AND e.number < t.number)`
