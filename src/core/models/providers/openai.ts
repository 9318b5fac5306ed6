import {createOpenAI} from '@ai-sdk/openai'
import type {ModelProvider} from '../provider.js'
import {providerFetch} from '../provider-fetch.js'
import type {ProviderSettings} from '../provider-settings.js'
import {streamStep} from '../step/stream-step.js'
import {modelsById} from './models-by-id.js'
import {secretsOf} from './secrets.js'

/** OpenAI over its Responses API. */
export function createOpenAIProvider(settings: ProviderSettings): ModelProvider {
  const {name, baseURL, apiKey = 'none', headers} = settings
  const openai = createOpenAI({baseURL, apiKey, headers, fetch: providerFetch})
  const modelOf = modelsById((modelId) => openai.responses(modelId))
  const secrets = secretsOf(settings)
  return {
    name,
    kind: 'openai',
    streamStep: (request) => {
      const context = {provider: name, modelId: request.modelId, secrets}
      // Nothing is kept there, so the SDK asks for the reasoning in encrypted form and the history carries it.
      const providerOptions = {openai: {store: false}}
      return streamStep({model: modelOf(request.modelId), providerOptions, context}, request)
    },
  }
}
