import type {TurnEvent, TurnEventBody} from '../../agent/turn-event.js'
import {type EventStore, LostTurn, type TurnClaim} from '../store.js'
import type {Database, Row} from './database.js'

/** The event log, and who listens to it in this process. Ids rise under the write lock, so no reader can skip one. */
export class Events implements EventStore {
  readonly #database: Database
  readonly #listeners = new Set<(turnId: string) => void>()

  constructor(database: Database) {
    this.#database = database
  }

  /** For the other stores: adds events inside the transaction that is under way. */
  add(turn: {id: string; sessionId: string}, bodies: TurnEventBody[], at: string): void {
    if (bodies.length === 0) return
    const last = this.#database.value('SELECT seq FROM events WHERE turn_id = ? ORDER BY seq DESC LIMIT 1', turn.id) ?? 0
    for (const [index, body] of bodies.entries()) {
      this.#database.run(
        'INSERT INTO events (turn_id, seq, session_id, body, at) VALUES (?, ?, ?, ?, ?)',
        turn.id,
        Number(last) + 1 + index,
        turn.sessionId,
        JSON.stringify(body),
        at,
      )
    }
    this.touch(turn.id)
  }

  /** Wakes the turn's readers after the commit, for a change of state that has no event of its own. */
  touch(turnId: string): void {
    this.#database.afterCommit(() => {
      for (const listener of this.#listeners) listener(turnId)
    })
  }

  async append(claim: TurnClaim, bodies: TurnEventBody[], at: string): Promise<void> {
    this.#database.transaction(
      () => {
        requireClaim(this.#database, claim)
        this.add({id: claim.id, sessionId: claim.sessionId}, bodies, at)
      },
      {durable: false},
    )
  }

  async ofTurn(turnId: string, afterSeq: number, limit: number): Promise<TurnEvent[]> {
    return this.#database
      .all('SELECT * FROM events WHERE turn_id = ? AND seq > ? ORDER BY seq LIMIT ?', turnId, afterSeq, limit)
      .map(toEvent)
  }

  async since(afterId: number, limit: number): Promise<TurnEvent[]> {
    return this.#database.all('SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?', afterId, limit).map(toEvent)
  }

  async lastId(): Promise<number> {
    return Number(this.#database.value('SELECT max(id) FROM events') ?? 0)
  }

  onAppend(listener: (turnId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** @throws LostTurn another process holds the turn, or nobody runs it any more */
export function requireClaim(database: Database, claim: TurnClaim): void {
  const held = database.value(
    "SELECT 1 FROM turns WHERE id = ? AND owner = ? AND takeovers = ? AND status = 'running'",
    claim.id,
    claim.owner,
    claim.takeovers,
  )
  if (!held) throw new LostTurn(`Turn ${claim.id} went to another process.`)
}

function toEvent(row: Row): TurnEvent {
  return {
    ...(JSON.parse(row.body as string) as TurnEventBody),
    id: Number(row.id),
    seq: Number(row.seq),
    turnId: row.turn_id as string,
    sessionId: row.session_id as string,
    at: row.at as string,
  }
}
