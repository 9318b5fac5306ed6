import {createAnthropic} from '@ai-sdk/anthropic'
import type {ModelProvider} from '../provider.js'
import {providerFetch} from '../provider-fetch.js'
import type {ProviderSettings} from '../provider-settings.js'
import {streamStep} from '../step/stream-step.js'
import {modelsById} from './models-by-id.js'
import {secretsOf} from './secrets.js'

/** Everything up to a mark is cached for five minutes: the tools and the system text by the first, the conversation by the second. */
const cacheMark = {anthropic: {cacheControl: {type: 'ephemeral'}}}

/** Anthropic over its Messages API. */
export function createAnthropicProvider(settings: ProviderSettings): ModelProvider {
  const {name, baseURL, apiKey = 'none', headers} = settings
  const anthropic = createAnthropic({baseURL, apiKey, headers, fetch: providerFetch})
  const modelOf = modelsById((modelId) => anthropic(modelId))
  const secrets = secretsOf(settings)
  return {
    name,
    kind: 'anthropic',
    streamStep: (request) => {
      const context = {provider: name, modelId: request.modelId, secrets}
      return streamStep({model: modelOf(request.modelId), cacheMark, context}, request)
    },
  }
}
