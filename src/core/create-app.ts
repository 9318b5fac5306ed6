import {mkdir} from 'node:fs/promises'
import {join} from 'node:path'
import {createEngine} from './agent/create-engine.js'
import {describeSelf, isAlive} from './agent/process-identity.js'
import {startRetention} from './agent/retention.js'
import type {App} from './app.js'
import {createLog} from './config/create-log.js'
import {ensureHome, serviceHome} from './config/home.js'
import {loadConfig} from './config/load.js'
import {newId} from './ids.js'
import {createModels} from './models/create-models.js'
import type {Models} from './models/models.js'
import {createSqliteStore} from './store/sqlite/create-store.js'
import type {ProcessRecord, Store} from './store/store.js'
import {createToolRegistry} from './tools/create-tool-registry.js'
import type {Tool} from './tools/tool.js'
import {version} from './version.js'

export interface AppOptions {
  env?: NodeJS.ProcessEnv
  /** Absolute; else `SVC_HOME`, else `~/.svc`. */
  home?: string
  /** A server holds the home alone, looks after the dead and logs to stderr. */
  kind?: ProcessRecord['kind']
  /** Replaces the models that the configuration describes. */
  models?: Models
  /** Replaces the built-in tools. */
  tools?: Tool[]
  /** The first wait before a model step is made again, in milliseconds. */
  retryBaseMs?: number
  now?: () => Date
  stderr?: 'pretty' | 'json' | 'off'
}

/**
 * The only place where things are wired together.
 *
 * @throws SvcError `bad-config`, `storage-unavailable`, `store-too-new`; `conflict` another server holds the home
 */
export async function createApp(options: AppOptions = {}): Promise<App> {
  const {kind = 'command', now = () => new Date(), retryBaseMs = 500} = options
  const home = options.home ?? serviceHome(options.env ?? process.env)
  const homeWarnings = await ensureHome(home)
  const loaded = await loadConfig({home, env: options.env ?? process.env})
  const {config} = loaded
  await mkdir(join(home, 'workspace'), {recursive: true, mode: 0o700})
  const log = createLog({
    ...config.logging,
    secrets: loaded.secrets,
    stderr: options.stderr ?? (kind === 'serve' ? 'pretty' : 'off'),
  })
  const warnings = [...homeWarnings, ...loaded.warnings]
  if (kind === 'serve') for (const warning of warnings) log.warn(warning)

  const store = createSqliteStore(join(home, 'svc.db'))
  const self = describeSelf(newId('process'), kind, now())
  const core = {
    version,
    home,
    config,
    warnings,
    store,
    log,
    startedAt: now(),
    now,
    models:
      options.models ?? createModels({config: config.models, env: loaded.env, now, log, onRetired: noteRetired(store, now)}),
    tools: createToolRegistry(options.tools),
  }
  try {
    await store.processes.register(self, (other) => isAlive(other, now()))
  } catch (error) {
    await closeQuietly(store, log)
    throw error
  }

  const app = core as Omit<App, 'engine' | 'close'> as App
  const engine = createEngine(app, {self, retryBaseMs})
  const stopRetention = kind === 'serve' ? startRetention(app) : undefined
  let closed: Promise<void> | undefined
  const close = async (drainMs: number) => {
    stopRetention?.()
    await engine.close(drainMs)
    await closeQuietly(store, log)
  }
  return Object.assign(app, {engine, close: (drainMs = 10_000) => (closed ??= close(drainMs))})
}

/** Retired models are replaced silently; the audit is where the owner finds it. */
function noteRetired(store: Store, now: () => Date) {
  return (from: string, to: string) => {
    const entry = {at: now().toISOString(), actor: 'system', action: 'model.retired', subject: from, detail: {replacement: to}}
    store.audit.append(entry).catch(() => undefined)
  }
}

async function closeQuietly(store: Store, log: App['log']): Promise<void> {
  await store.close()
  await log.close()
}
