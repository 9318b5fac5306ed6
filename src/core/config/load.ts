import {join} from 'node:path'
import {type InputIssue, SvcError} from '../errors.js'
import {readEnvFile} from './env-file.js'
import type {ReadKeychain} from './expand.js'
import {interpret} from './interpret.js'
import {formatKey} from './key-path.js'
import {parseJson, placesIn} from './parse-json.js'
import {readText} from './read-text.js'
import type {Config} from './schema.js'

type Env = Record<string, string | undefined>

interface LoadOptions {
  /** The service home, an absolute path. */
  home: string
  /** The environment of the process; it wins over `.env`. */
  env: Env
  /** Replaces the credential store of the operating system. */
  readKeychain?: ReadKeychain
}

export interface LoadedConfig {
  config: Config
  /** Unset variables, unknown keys, files others can read: each a sentence. */
  warnings: string[]
  /** The environment with what `.env` adds. */
  env: Env
  /** Every secret value that is known, for `createLog` and `redactor`. */
  secrets: string[]
  /** Absolute path of `config.json`, whether it is there or not. */
  file: string
  /** The file as written: references unexpanded, unknown keys kept. An empty object without a file. */
  raw: Record<string, unknown>
}

/**
 * Reads `.env` and `config.json` of the home. Without them everything has its default.
 *
 * @throws SvcError `bad-config` with the file, line and column in its message, and every other mistake among its issues
 */
export async function loadConfig({home, env: processEnv, readKeychain = systemKeychain}: LoadOptions): Promise<LoadedConfig> {
  const file = configFile(home)
  const envFile = await readEnvFile(home)
  const env: Env = {...envFile.values}
  for (const [name, value] of Object.entries(processEnv)) if (value !== undefined) env[name] = value
  const text = (await readText(file))?.text ?? '{}'
  const raw = await parseJson(text, file)

  const result = await interpret(raw, {home, env, readKeychain})
  if (result.config === undefined) throw await misfit(file, text, result.issues)
  return {config: result.config, warnings: [...envFile.warnings, ...result.warnings], env, secrets: result.secrets, file, raw}
}

export function configFile(home: string): string {
  return join(home, 'config.json')
}

async function systemKeychain(name: string): Promise<string | undefined> {
  const {readKeychain} = await import('./keychain.js')
  return readKeychain(name)
}

async function misfit(file: string, text: string, issues: InputIssue[]): Promise<SvcError> {
  const placeOf = await placesIn(text)
  const placed = issues
    .map((issue) => ({...issue, ...placeOf(issue.path)}))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  const [first, ...others] = placed.map(
    ({path, message, line, column}) => `${file}:${line}:${column}: ${formatKey(path)} ${message}.`,
  )
  const more =
    others.length === 0 ? '' : ` There ${others.length === 1 ? 'is 1 more mistake' : `are ${others.length} more mistakes`}.`
  return new SvcError('bad-config', `${first}${more}`, {
    hint: `Mend ${file}; nothing was changed.`,
    issues: placed.map(({path, message, line, column}) => ({path, message: `${message} (line ${line}, column ${column})`})),
  })
}
