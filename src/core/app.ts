import type {Engine} from './agent/engine.js'
import type {Log} from './config/log.js'
import type {Config} from './config/schema.js'
import type {Models} from './models/models.js'
import type {Store} from './store/store.js'
import type {ToolRegistry} from './tools/registry.js'

/** Everything a handler, a command, a check or a tool may touch. Built once in `createApp`; tests build it over a temporary home. */
export interface App {
  readonly version: string
  /** The service home, an absolute path. */
  readonly home: string
  /** The configuration with every `${VAR}` expanded. */
  readonly config: Config
  /** What loading the configuration had to say: unset variables, unknown keys. */
  readonly warnings: readonly string[]
  readonly store: Store
  readonly models: Models
  readonly tools: ToolRegistry
  readonly engine: Engine
  readonly log: Log
  readonly startedAt: Date
  now(): Date
  /** Lets running turns finish for at most `drainMs`, hands the rest back to the store, closes everything. */
  close(drainMs?: number): Promise<void>
}
