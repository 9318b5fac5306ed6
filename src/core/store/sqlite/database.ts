import {chmodSync, closeSync, openSync} from 'node:fs'
import {DatabaseSync, type StatementSync} from 'node:sqlite'
import {SvcError} from '../../errors.js'

/** Older builds can corrupt a WAL database under concurrent checkpoints (fixed in 3.51.3). */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Long enough that a busy writer is waited for and never reported: eight processes writing at once stay far below it. */
const BUSY_TIMEOUT_MS = 15_000

export type Row = Record<string, string | number | null>
type Value = string | number | null

/** One connection: prepared statements, the only transaction helper, and SQLite's errors in our words. */
export class Database {
  readonly file: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #synced = true
  #afterCommit: (() => void)[] = []

  /** @throws SvcError `storage-unavailable` the file cannot be opened or written */
  constructor(file: string) {
    this.file = file
    this.#db = translated(file, () => {
      // Created by us first: SQLite would make it readable by all, and its -wal and -shm files copy its mode.
      closeSync(openSync(file, 'a', 0o600))
      chmodSync(file, 0o600)
      return new DatabaseSync(file, {timeout: BUSY_TIMEOUT_MS})
    })
    translated(file, () => {
      requireNewEnough(this.value('SELECT sqlite_version()') as string)
      this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY')
    })
  }

  /**
   * Runs `work` between BEGIN IMMEDIATE and COMMIT; what it throws rolls back. Nothing else begins a transaction: a plain
   * BEGIN that later writes fails with SQLITE_BUSY however long the time-out is.
   *
   * @param durable false leaves the sync to the next durable commit: a power cut may lose it, a crash of the process not
   */
  transaction<Result>(work: () => Result, {durable = true} = {}): Result {
    const result = translated(this.file, () => {
      this.#afterCommit = []
      this.#setSynced(durable)
      this.#db.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        this.#db.exec('COMMIT')
        return result
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
    for (const listener of this.#afterCommit) listener()
    return result
  }

  /** Calls `listener` once the transaction that is under way is committed; never when it is rolled back. */
  afterCommit(listener: () => void): void {
    this.#afterCommit.push(listener)
  }

  /** One writing statement; outside a transaction it is one of its own. @returns how many rows changed */
  run(sql: string, ...values: Value[]): number {
    return translated(this.file, () => Number(this.#prepare(sql).run(...values).changes))
  }

  /** @returns the rowid of the new row */
  insert(sql: string, ...values: Value[]): number {
    return translated(this.file, () => Number(this.#prepare(sql).run(...values).lastInsertRowid))
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return translated(this.file, () => this.#prepare(sql).get(...values) as Row | undefined)
  }

  all(sql: string, ...values: Value[]): Row[] {
    return translated(this.file, () => this.#prepare(sql).all(...values) as Row[])
  }

  /** The first column of the first row. */
  value(sql: string, ...values: Value[]): Value | undefined {
    const row = this.get(sql, ...values)
    return row && Object.values(row)[0]
  }

  /** Several statements without values, for migrations and pragmas. */
  exec(sql: string): void {
    translated(this.file, () => this.#db.exec(sql))
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #setSynced(synced: boolean): void {
    if (this.#synced === synced) return
    this.#db.exec(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`)
    this.#synced = synced
  }
}

/** What an operator can do about each of SQLite's primary result codes; every other code is a bug of ours. */
const remedies: Record<number, string> = {
  5: 'Another program holds the database for very long; close it.',
  6: 'Another program holds the database for very long; close it.',
  8: 'Make the file and its folder writable.',
  10: 'The disk reports errors; check it, then the free space.',
  11: 'The database is damaged: restore the newest backup.',
  13: 'Free some disk space; svc goes on by itself.',
  14: 'Make the folder writable.',
  26: 'Move the file away: it is not a database of svc.',
}

function translated<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const code = (error as {errcode?: number}).errcode
    const remedy = code === undefined ? remedyOfSystemError(error) : remedies[code & 0xff]
    if (!remedy) throw error
    throw new SvcError('storage-unavailable', `The store ${file} cannot be used: ${(error as Error).message}.`, {
      hint: remedy,
      cause: error,
    })
  }
}

function remedyOfSystemError(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC') return remedies[13]
  if (code === 'EIO') return remedies[10]
  return code && ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'].includes(code) ? remedies[8] : undefined
}

function requireNewEnough(version: string): void {
  const parts = version.split('.').map(Number)
  const difference = OLDEST_SQLITE.map((wanted, index) => (parts[index] ?? 0) - wanted).find((part) => part !== 0) ?? 0
  if (difference >= 0) return
  throw new SvcError(
    'storage-unavailable',
    `This Node brings SQLite ${version}; svc needs ${OLDEST_SQLITE.join('.')} or newer.`,
    {
      hint: 'Use Node 24.21 or newer.',
    },
  )
}
