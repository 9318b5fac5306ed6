import {SvcError} from '../errors.js'
import {type Preset, presetByName, presets} from './presets.js'
import type {ProviderKind} from './provider.js'

/** What the configuration may say of a provider, every `${VAR}` expanded. */
export interface ProviderEntry {
  kind?: ProviderKind | undefined
  baseURL?: string | undefined
  /** Empty when the variable it was written as is unset. */
  apiKey?: string | undefined
  headers?: Record<string, string> | undefined
  timeoutMs?: number | undefined
}

/** A provider with everything needed to call it. */
export interface ProviderSettings {
  name: string
  kind: ProviderKind
  baseURL: string
  /** Undefined: it is called without one. */
  apiKey: string | undefined
  headers: Record<string, string>
  /** How long to wait for the next sign of life. */
  timeoutMs: number
  preset: Preset | undefined
}

/** A provider that is named somewhere: ready to be called, or with the reason why it is not. */
export type KnownProvider = ({usable: true} & ProviderSettings) | {usable: false; name: string; error: SvcError}

type Env = Record<string, string | undefined>

const defaultTimeoutMs = 120_000

/** The providers of the configuration in its order, then those whose key is in the environment, then the offline model. */
export function knownProviders(entries: Record<string, ProviderEntry>, env: Env): Map<string, KnownProvider> {
  const known = new Map<string, KnownProvider>()
  for (const [name, entry] of Object.entries(entries)) known.set(name, settle(name, entry, env))
  for (const {name, keyVariable} of presets) {
    if (!known.has(name) && keyVariable && env[keyVariable]?.trim()) known.set(name, settle(name, {}, env))
  }
  if (!known.has('offline')) known.set('offline', settle('offline', {}, env))
  return known
}

/** Says how to set the provider up. */
export function notConfigured(name: string): SvcError {
  const preset = presetByName.get(name)
  const variable = preset?.keyVariable
  const hint = variable
    ? `Put ${variable}=… into .env of the service home.`
    : `Set models.providers.${name}.baseURL in config.json of the service home, to ${preset?.baseURL ?? 'https://…'}`
  return new SvcError('provider-not-configured', `The model provider "${name}" is not set up.`, {hint})
}

function settle(name: string, entry: ProviderEntry, env: Env): KnownProvider {
  const preset = presetByName.get(name)
  const kind = entry.kind ?? (name === 'offline' ? 'offline' : (preset?.kind ?? 'openai-compatible'))
  const official = preset?.kind === kind ? preset : presets.find((row) => row.kind === kind && kind !== 'openai-compatible')
  const headers = entry.headers ?? {}
  const keyVariable = preset?.keyVariable ?? keyVariableOf(name)
  const apiKey = (entry.apiKey ?? env[keyVariable])?.trim()
  const baseURL = (entry.baseURL ?? official?.baseURL ?? '').replace(/\/+$/, '')
  const settings = {
    name,
    kind,
    baseURL,
    apiKey: apiKey || undefined,
    headers,
    timeoutMs: entry.timeoutMs ?? defaultTimeoutMs,
    preset,
  }
  const usable = {usable: true, ...settings} as const

  if (kind === 'offline') return usable
  if (baseURL === '')
    return unusable(name, 'has no address', `Set models.providers.${name}.baseURL in config.json of the service home.`)
  if (entry.apiKey !== undefined && !apiKey) {
    return unusable(name, `has an empty key: models.providers.${name}.apiKey expands to nothing`, setVariable(keyVariable))
  }
  const wantsKey = entry.baseURL === undefined && official?.keyVariable !== null && !carriesKey(headers)
  if (wantsKey && !apiKey) return unusable(name, 'has no key', setVariable(keyVariable))
  return usable
}

function unusable(name: string, problem: string, hint: string): KnownProvider {
  return {usable: false, name, error: new SvcError('provider-not-configured', `The model provider "${name}" ${problem}.`, {hint})}
}

function setVariable(variable: string): string {
  return `Put ${variable}=… into .env of the service home, or set the variable that the key is written as.`
}

/** A gateway of the owner's may take the key in a header of its own. */
function carriesKey(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => /^(authorization|x-api-key|api-key)$/i.test(name))
}

/** `my-gateway` → `MY_GATEWAY_API_KEY`. */
function keyVariableOf(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`
}
