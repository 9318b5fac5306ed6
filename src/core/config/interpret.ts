import {resolve} from 'node:path'
import type {InputIssue} from '../errors.js'
import {checkConfig, checkShape} from './check.js'
import {expand, type ReadKeychain, type Surroundings} from './expand.js'
import {userHome} from './home.js'
import type {Config} from './schema.js'
import {collectSecrets} from './secrets.js'
import {unknownKeys} from './unknown-keys.js'

type Env = Surroundings['env']

type Interpreted = {config: Config; issues: []; warnings: string[]; secrets: string[]} | {config: undefined; issues: InputIssue[]}

/** What a parsed configuration means in these surroundings; mistakes are returned, for there may be several. */
export async function interpret(raw: object, {home, env, readKeychain}: Surroundings & {home: string}): Promise<Interpreted> {
  const misshapen = checkShape(raw)
  if (misshapen.length > 0) return {config: undefined, issues: misshapen}

  const {value, warnings} = await expand(raw, {env, readKeychain})
  const {config, issues} = checkConfig(value)
  if (config === undefined) return {config, issues}

  warnings.push(...unknownKeys(raw), ...(await fetchToken(config, readKeychain)))
  config.sandbox.allowedFolders = [...new Set(config.sandbox.allowedFolders.map((folder) => resolvePath(folder, home, env)))]
  config.logging.file = resolvePath(config.logging.file, home, env)
  const secrets = new Set([...collectSecrets(raw, value, env), config.dashboard.token ?? ''])
  return {config, issues: [], warnings, secrets: [...secrets].filter((secret) => secret !== '')}
}

/** The entry of the credential store that `dashboard.tokenStore: "keychain"` speaks of. */
export const tokenEntry = 'dashboard.token'

/** With the token in the credential store, a store that cannot be read locks the dashboard; it never opens it. */
async function fetchToken({dashboard}: Config, readKeychain: ReadKeychain): Promise<string[]> {
  if (dashboard.tokenStore === 'file' || dashboard.token !== undefined) return []
  dashboard.token = ''
  try {
    dashboard.token = (await readKeychain(tokenEntry)) ?? ''
    return dashboard.token ? [] : ['The credential store has no dashboard token, so the dashboard is locked.']
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    return [`The credential store cannot be read (${reason}), so the dashboard is locked.`]
  }
}

function resolvePath(path: string, home: string, env: Env): string {
  return path === '~' || path.startsWith('~/') ? resolve(userHome(env), `.${path.slice(1)}`) : resolve(home, path)
}
