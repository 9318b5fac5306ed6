import {SvcError} from '../../errors.js'
import type {LoginStore, ProcessRecord, ProcessStore, StateStore} from '../store.js'
import type {Audit} from './audit.js'
import type {Database, Row} from './database.js'

/** The processes of this home, so that each can tell which of the others live. */
export class Processes implements ProcessStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async register(record: ProcessRecord, isAlive: (other: ProcessRecord) => boolean): Promise<void> {
    this.#database.transaction(() => {
      const others = this.#database.all('SELECT * FROM processes').map(toProcess)
      const server = others.find((other) => other.kind === 'serve' && isAlive(other))
      if (record.kind === 'serve' && server) {
        throw new SvcError('conflict', `A gateway already runs in this home, as process ${server.pid}.`, {
          hint: 'Stop it first, or set SVC_HOME to another folder.',
        })
      }
      this.#database.run(
        'INSERT INTO processes (id, pid, start_time, host, kind, lease_until) VALUES (?, ?, ?, ?, ?, ?)',
        record.id,
        record.pid,
        record.startTime,
        record.host,
        record.kind,
        record.leaseUntil,
      )
    })
  }

  async get(id: string): Promise<ProcessRecord | undefined> {
    const row = this.#database.get('SELECT * FROM processes WHERE id = ?', id)
    return row && toProcess(row)
  }

  async list(): Promise<ProcessRecord[]> {
    return this.#database.all('SELECT * FROM processes').map(toProcess)
  }

  async renew(id: string, leaseUntil: string): Promise<void> {
    this.#database.transaction(() => this.#database.run('UPDATE processes SET lease_until = ? WHERE id = ?', leaseUntil, id), {
      durable: false,
    })
  }

  async remove(id: string): Promise<void> {
    this.#database.transaction(() => this.#database.run('DELETE FROM processes WHERE id = ?', id), {durable: false})
  }
}

/** Small values of the home; every change is in the audit. */
export class State implements StateStore {
  readonly #database: Database
  readonly #audit: Audit

  constructor(database: Database, audit: Audit) {
    this.#database = database
    this.#audit = audit
  }

  async get(key: string): Promise<string | undefined> {
    return this.#database.value('SELECT value FROM state WHERE key = ?', key) as string | undefined
  }

  async set(key: string, value: string | null, by: string, at: string): Promise<void> {
    this.#database.transaction(() => {
      if (value === null) this.#database.run('DELETE FROM state WHERE key = ?', key)
      else this.#database.run('INSERT OR REPLACE INTO state (key, value, updated_at) VALUES (?, ?, ?)', key, value, at)
      this.#audit.add({at, actor: by, action: 'state.set', subject: key, detail: {value}})
    })
  }
}

/** Failed logins by address. */
export class Logins implements LoginStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async addFailure(address: string, at: string, since: string): Promise<number> {
    return this.#database.transaction(() => {
      this.#database.run('DELETE FROM login_failures WHERE address = ? AND at < ?', address, since)
      this.#database.run('INSERT INTO login_failures (address, at) VALUES (?, ?)', address, at)
      return Number(this.#database.value('SELECT count(*) FROM login_failures WHERE address = ?', address))
    })
  }

  async lockedUntil(address: string, at: string): Promise<string | undefined> {
    return this.#database.value('SELECT until FROM login_locks WHERE address = ? AND until > ?', address, at) as
      | string
      | undefined
  }

  async lock(address: string, until: string): Promise<void> {
    this.#database.transaction(() => {
      this.#database.run('INSERT OR REPLACE INTO login_locks (address, until) VALUES (?, ?)', address, until)
      this.#database.run('DELETE FROM login_failures WHERE address = ?', address)
    })
  }

  async forgive(address: string): Promise<void> {
    this.#database.transaction(() => {
      this.#database.run('DELETE FROM login_failures WHERE address = ?', address)
      this.#database.run('DELETE FROM login_locks WHERE address = ?', address)
    })
  }
}

function toProcess(row: Row): ProcessRecord {
  return {
    id: row.id as string,
    pid: Number(row.pid),
    startTime: row.start_time as string,
    host: row.host as string,
    kind: row.kind as ProcessRecord['kind'],
    leaseUntil: row.lease_until as string,
  }
}
