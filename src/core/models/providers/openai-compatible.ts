import {createOpenAICompatible} from '@ai-sdk/openai-compatible'
import type {ModelProvider} from '../provider.js'
import {providerFetch} from '../provider-fetch.js'
import type {ProviderSettings} from '../provider-settings.js'
import {streamStep} from '../step/stream-step.js'
import {modelsById} from './models-by-id.js'
import {secretsOf} from './secrets.js'

/** Whatever speaks OpenAI's chat completions: OpenRouter, Groq, Kimi, Ollama, LM Studio, llama.cpp, vLLM and the like. */
export function createCompatibleProvider(settings: ProviderSettings): ModelProvider {
  const {name, baseURL, apiKey, headers} = settings
  const compatible = createOpenAICompatible({
    name,
    baseURL,
    headers,
    includeUsage: true,
    fetch: providerFetch,
    ...(apiKey && {apiKey}),
  })
  const modelOf = modelsById((modelId) => compatible(modelId))
  const secrets = secretsOf(settings)
  return {
    name,
    kind: 'openai-compatible',
    streamStep: (request) => {
      const context = {provider: name, modelId: request.modelId, secrets}
      return streamStep({model: modelOf(request.modelId), context}, request)
    },
  }
}
