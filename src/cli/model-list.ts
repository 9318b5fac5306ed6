import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'
import {presetByName} from '../core/models/presets.js'

export interface ListedModel {
  alias: string | null
  /** Full `provider/model`; for an alias that leads nowhere, what it says. */
  model: string
  provider: string | null
  ready: boolean
  /** Why it cannot be used. */
  missing: string | null
}

/** Every alias, then the known models of every configured provider. A provider takes other models too. */
export function listModels({config, models}: Pick<App, 'config' | 'models'>): ListedModel[] {
  const aliases = Object.entries(config.models.aliases).map(([alias, target]) => describe(models, alias, alias, target))
  const known = models.providerNames().flatMap((provider) => knownModels(provider).map((id) => describe(models, null, id, id)))
  return [...aliases, ...known]
}

function describe(models: App['models'], alias: string | null, name: string, written: string): ListedModel {
  try {
    const {id, provider} = models.resolve(name)
    return {alias, model: id, provider, ready: true, missing: null}
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const slash = written.indexOf('/')
    return {alias, model: written, provider: slash > 0 ? written.slice(0, slash) : null, ready: false, missing: error.message}
  }
}

function knownModels(provider: string): string[] {
  if (provider === 'offline') return ['offline/assistant']
  const catalogue = presetByName.get(provider)?.catalogue ?? []
  return catalogue.length > 0 ? catalogue.map((id) => `${provider}/${id}`) : [`${provider}/…`]
}
