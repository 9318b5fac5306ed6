import {SvcError} from '../errors.js'
import type {ModelFacts, Models, ResolvedModel} from './models.js'
import {presets} from './presets.js'
import {factsOf, priceOf} from './prices.js'
import type {ModelProvider} from './provider.js'
import {knownProviders, notConfigured, type ProviderEntry, type ProviderSettings} from './provider-settings.js'
import {loadProvider} from './providers/index.js'
import {type ResolveContext, resolveModel} from './resolve.js'

/** The `models` section of the configuration, every `${VAR}` expanded. */
export interface ModelsConfig {
  default?: string | undefined
  aliases: Record<string, string>
  providers: Record<string, ProviderEntry>
}

export interface ModelsOptions {
  config: ModelsConfig
  /** The environment, the home's `.env` included. */
  env: Record<string, string | undefined>
  now(): Date
  log?: {info(message: string, fields?: Record<string, unknown>): void}
  /** Told once per model when a retired one was asked for, with full ids; must not throw. */
  onRetired?(from: string, to: string): void
}

const offlineModel = 'offline/assistant'

/** It reads only the newest message, so a short window costs it nothing and keeps long sessions fast. */
const offlineFacts: ModelFacts = {contextWindow: 16_000, maxOutput: null}

/** Cheap to make and to resolve with: providers, prices and the SDK are loaded by the methods that need them. */
export function createModels({config, env, now, log, onRetired}: ModelsOptions): Models {
  const providers = knownProviders(config.providers, env)
  const loaded = new Map<string, Promise<ModelProvider>>()
  const told = new Set<string>()

  const context: ResolveContext = {aliases: config.aliases, providers, fallbackProvider: () => providerForBareIds(), now}
  const contextOfDefault: ResolveContext = {...context, fallbackProvider: () => onlineProvider(firstDefault())}

  function resolve(name: string, within = context): ResolvedModel {
    const model = resolveModel(name, within)
    if (model.retiredFrom && !told.has(model.retiredFrom)) {
      told.add(model.retiredFrom)
      log?.info('A retired model was asked for; its replacement is used.', {from: model.retiredFrom, to: model.id})
      onRetired?.(model.retiredFrom, model.id)
    }
    return model
  }

  function defaultModel(): ResolvedModel {
    return resolve(config.default ?? firstDefault(), contextOfDefault)
  }

  /** What `models.default` would be if the presets had to say. */
  function firstDefault(): string {
    const preset = presets.find(({name, defaultModel: model}) => model && providers.get(name)?.usable)
    return preset ? `${preset.name}/${preset.defaultModel}` : offlineModel
  }

  function providerForBareIds(): string | undefined {
    try {
      return onlineProvider(defaultModel().id)
    } catch (error) {
      if (error instanceof SvcError) return undefined
      throw error
    }
  }

  function settingsOf(name: string): ProviderSettings {
    const known = providers.get(name)
    if (!known) throw notConfigured(name)
    if (!known.usable) throw known.error
    return known
  }

  return {
    resolve: (name) => resolve(name),
    defaultModel,
    providerNames: () => [...providers.keys()],
    async provider(name) {
      const settings = settingsOf(name)
      const provider = loaded.get(name) ?? loadProvider(settings)
      loaded.set(name, provider)
      return provider
    },
    timeoutMs: (name) => settingsOf(name).timeoutMs,
    facts: async ({provider, modelId}): Promise<ModelFacts> => {
      if (provider === 'offline') return offlineFacts
      return factsOf({provider, modelId, baseURL: baseURLOf(provider)})
    },
    price: async ({provider, modelId}, usage, at) => {
      if (provider === 'offline') return {...usageAlone(usage), costUsd: 0}
      return priceOf({provider, modelId, baseURL: baseURLOf(provider)}, usage, at)
    },
  }

  /** Empty for a provider that is not set up any more: what it once cost can still be told by its name. */
  function baseURLOf(name: string): string {
    const known = providers.get(name)
    return known?.usable ? known.baseURL : ''
  }
}

/** The offline model takes no names but its own, so it never stands in for a bare id. */
function onlineProvider(id: string): string | undefined {
  const provider = id.slice(0, id.indexOf('/'))
  return provider === 'offline' ? undefined : provider
}

function usageAlone({
  inputTokens,
  outputTokens,
  cachedTokens,
}: {
  inputTokens: number
  outputTokens: number
  cachedTokens: number
}) {
  return {inputTokens, outputTokens, cachedTokens}
}
