import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {createSqliteStore} from '../../src/core/store/sqlite/create-store.js'
import {range} from './statistics.js'

const TURNS_A_SESSION = 20
/** How often the clock is looked at. */
const TURNS_AT_ONCE = 500

/**
 * Fills the store of a home through its real schema, triggers included, in one transaction: sessions of twenty turns, every turn
 * with question, answer, step and two events.
 */
export function seed(home: string, {messages, atMostMs}: {messages: number; atMostMs: number}) {
  const file = join(home, 'svc.db')
  void createSqliteStore(file).close()
  const database = new DatabaseSync(file)
  const deadline = performance.now() + atMostMs
  const wanted = messages / 2
  // Not to be measured; a seed that a power cut spoils is made again.
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN IMMEDIATE')
  const add = inserts(database)
  let turn = 0
  for (; turn < wanted && (turn % TURNS_AT_ONCE > 0 || performance.now() < deadline); turn++) addTurn(add, turn)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return {turns: turn, messages: turn * 2, sessions: Math.ceil(turn / TURNS_A_SESSION)}
}

function addTurn(add: ReturnType<typeof inserts>, index: number): void {
  const session = `session-${Math.floor(index / TURNS_A_SESSION)}`
  const number = (index % TURNS_A_SESSION) + 1
  const at = new Date(Date.UTC(2026, 0, 1) + index * 20_000).toISOString()
  const turn = `turn-${index}`
  if (number === 1) add.session(session, `Conversation ${index}`, TURNS_A_SESSION, at, at)
  const [question, answer] = [sentence(index * 2, 12), sentence(index * 2 + 1, 40)]
  const messageId = add.message(session, turn, number, 'user', question, at)
  add.turn(turn, session, number, messageId, at, answer)
  add.message(session, turn, number, 'assistant', answer, at)
  add.step(turn, session, at)
  add.event(turn, 1, session, {type: 'turn.started', model: 'stub/instant'}, at)
  add.event(turn, 2, session, {type: 'turn.completed', reply: answer, model: 'stub/instant'}, at)
}

function inserts(database: DatabaseSync) {
  const session = database.prepare(`INSERT INTO sessions (id, agent_id, channel, title, turns, created_at, updated_at)
    VALUES (?, 'assistant', 'gateway', ?, ?, ?, ?)`)
  const message = database.prepare(`INSERT INTO messages (session_id, turn_id, turn_number, role, content, text, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const turn = database.prepare(`INSERT INTO turns (id, session_id, number, agent_id, channel, status, model, message_id,
    created_at, started_at, finished_at, reply, input_tokens, output_tokens)
    VALUES (?, ?, ?, 'assistant', 'gateway', 'completed', 'stub/instant', ?, ?, ?, ?, ?, 900, 12)`)
  const step = database.prepare(`INSERT INTO steps (turn_id, session_id, agent_id, channel, step, model, input_tokens,
    output_tokens, cached_tokens, cost_usd, duration_ms, first_token_ms, at)
    VALUES (?, ?, 'assistant', 'gateway', 1, 'stub/instant', 900, 12, 0, NULL, 800, 300, ?)`)
  const event = database.prepare('INSERT INTO events (turn_id, seq, session_id, body, at) VALUES (?, ?, ?, ?, ?)')
  return {
    session: (id: string, title: string, turns: number, created: string, updated: string) =>
      session.run(id, title, turns, created, updated),
    message: (sessionId: string, turnId: string, number: number, role: string, text: string, at: string) => {
      const content = JSON.stringify({role, content: text})
      return message.run(sessionId, turnId, number, role, content, text, at).lastInsertRowid
    },
    turn: (id: string, sessionId: string, number: number, messageId: number | bigint, at: string, reply: string) =>
      turn.run(id, sessionId, number, messageId, at, at, at, reply),
    step: (turnId: string, sessionId: string, at: string) => step.run(turnId, sessionId, at),
    event: (turnId: string, seq: number, sessionId: string, body: object, at: string) =>
      event.run(turnId, seq, sessionId, JSON.stringify(body), at),
  }
}

const WORDS = 20_000

/** Words as in a language: the n-th most frequent one is about 1/n as frequent as the first. The same seed gives the same words. */
function sentence(seed: number, length: number): string {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  return range(length)
    .map(() => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return word(Math.floor(WORDS ** (state / 2 ** 32)))
    })
    .join(' ')
}

/** @param rank from 1, the most frequent */
const word = (rank: number): string => `w${rank.toString(36)}${'aeiou'[rank % 5]}`

/** What people look for, by how much there is of it. */
export const searches = {
  'a frequent word': range(10).map((index) => word(index + 1)),
  'a usual word': range(50).map((index) => word(200 + index * 7)),
  'a rare word': range(50).map((index) => word(15_000 + index * 31)),
  'a frequent and a rare word': range(50).map((index) => `${word((index % 10) + 1)} ${word(15_000 + index * 31)}`),
  'two usual words': range(50).map((index) => `${word(200 + index * 7)} ${word(300 + index * 11)}`),
  'a phrase': range(50).map((index) => `"${word((index % 5) + 1)} ${word((index % 7) + 2)}"`),
  'a word that is nowhere': range(10).map((index) => `nowhere${index}`),
}
