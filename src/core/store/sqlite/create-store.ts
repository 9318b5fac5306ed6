import {migrations} from '../migrations/index.js'
import type {Store} from '../store.js'
import {Approvals} from './approvals.js'
import {Audit} from './audit.js'
import {Database} from './database.js'
import {Events} from './events.js'
import {migrate} from './migrate.js'
import {prune} from './prune.js'
import {Sessions} from './sessions.js'
import {Logins, Processes, State} from './small-stores.js'
import {Turns} from './turns.js'

/**
 * Opens `file`, creating or migrating it as needed.
 *
 * @throws SvcError `storage-unavailable`; `store-too-new` a newer svc wrote it
 */
export function createSqliteStore(file: string): Store {
  const database = new Database(file)
  try {
    migrate(database, migrations)
  } catch (error) {
    database.close()
    throw error
  }
  const events = new Events(database)
  const audit = new Audit(database)
  return {
    turns: new Turns({database, events, audit}),
    events,
    sessions: new Sessions(database),
    approvals: new Approvals(database, events, audit),
    processes: new Processes(database),
    state: new State(database, audit),
    audit,
    logins: new Logins(database),
    prune: async (before, at) => prune(database, before, at),
    async probe() {
      database.transaction(() => {
        database.run("INSERT OR REPLACE INTO state (key, value, updated_at) VALUES ('probe', '', ?)", new Date().toISOString())
      })
    },
    dataVersion: () => Number(database.value('PRAGMA data_version')),
    async close() {
      database.close()
    },
  }
}
