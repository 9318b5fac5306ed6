import type {ModelProvider} from '../provider.js'
import type {ProviderSettings} from '../provider-settings.js'

type Load = (settings: ProviderSettings) => Promise<ModelProvider>

/** The code of each kind, loaded at its first use: the SDK takes over 100 ms. */
const kinds: Record<ProviderSettings['kind'], Load> = {
  openai: async (settings) => (await import('./openai.js')).createOpenAIProvider(settings),
  anthropic: async (settings) => (await import('./anthropic.js')).createAnthropicProvider(settings),
  'openai-compatible': async (settings) => (await import('./openai-compatible.js')).createCompatibleProvider(settings),
  offline: async () => (await import('./offline.js')).createOfflineProvider(),
}

export function loadProvider(settings: ProviderSettings): Promise<ModelProvider> {
  return kinds[settings.kind](settings)
}
