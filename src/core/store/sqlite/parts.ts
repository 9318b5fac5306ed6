import type {Audit} from './audit.js'
import type {Database} from './database.js'
import type {Events} from './events.js'

/** What a write that spans several tables needs. */
export interface Parts {
  database: Database
  events: Events
  audit: Audit
}
