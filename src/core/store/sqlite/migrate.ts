import {SvcError} from '../../errors.js'
import type {Database} from './database.js'

/**
 * Brings the file to the newest schema, once, however many processes start at the same moment.
 *
 * @throws SvcError `store-too-new` a newer svc wrote the file
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  if (version(database) === migrations.length) return
  database.transaction(() => {
    // Read again under the lock: another process may have migrated meanwhile.
    const current = version(database)
    if (current > migrations.length) throw tooNew(database.file, current, migrations.length)
    for (const migration of migrations.slice(current)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

const version = (database: Database) => Number(database.value('PRAGMA user_version'))

function tooNew(file: string, current: number, known: number): SvcError {
  return new SvcError('store-too-new', `The store ${file} has schema ${current}; this svc knows schemas up to ${known}.`, {
    hint: 'Run the newer svc that wrote it, or restore a backup made before the upgrade.',
  })
}
