import type {ProviderKind} from './provider.js'

/** A provider svc knows by name: with its key in the environment it needs no configuration entry. */
export interface Preset {
  name: string
  kind: Exclude<ProviderKind, 'offline'>
  baseURL: string
  /** The environment variable of its key; null: a local server that wants none and is used only when configured. */
  keyVariable: string | null
  /** What is used when the provider is there and no model is named; null where that depends on the machine. */
  defaultModel: string | null
  /** Ids a bare name is looked up in. Not complete: `provider/model` reaches every model. */
  catalogue: readonly string[]
  /** The provider's id in the price data; null when it is not in there. */
  pricesId: string | null
  /** The page the row was read from. */
  source: string
}

const kimi = {
  kind: 'openai-compatible',
  baseURL: 'https://api.moonshot.ai/v1',
  defaultModel: 'kimi-k3',
  catalogue: ['kimi-k3', 'kimi-k2.7-code', 'kimi-k2.6', 'kimi-k2.5'],
  pricesId: 'moonshotai',
  source: 'https://platform.kimi.ai/docs/models.md',
} as const

const gemini = {
  kind: 'openai-compatible',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta/openai',
  defaultModel: 'gemini-3.8-flash',
  catalogue: ['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash', 'gemini-3.5-flash', 'gemini-3.1-pro-preview'],
  pricesId: 'google',
  source: 'https://ai.google.dev/gemini-api/docs/openai',
} as const

const local = {kind: 'openai-compatible', keyVariable: null, defaultModel: null, catalogue: [], pricesId: null} as const

/**
 * In the order in which the default model is looked for. Model ids as listed by @pydantic/genai-prices 0.1.8 and the AI SDK's
 * provider packages, read 2026-11-21.
 */
export const presets: readonly Preset[] = [
  {
    name: 'openai',
    kind: 'openai',
    baseURL: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    defaultModel: 'gpt-5.6-sol',
    catalogue: [
      ...[
        'gpt-6.1-sol',
        'gpt-6.1-terra',
        'gpt-6-astra',
        'gpt-6-sol',
        'gpt-6-luna',
        'gpt-5.6-sol',
        'gpt-5.6-terra',
        'gpt-5.6-luna',
      ],
      ...['gpt-5.5', 'gpt-5.4', 'gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-5.3-codex', 'gpt-5.2', 'gpt-5.1'],
    ],
    pricesId: 'openai',
    source: 'https://developers.openai.com/api/docs/models',
  },
  {
    name: 'anthropic',
    kind: 'anthropic',
    baseURL: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5-5',
    catalogue: [
      'claude-fable-5-2',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-opus-5',
      'claude-sonnet-5',
    ],
    pricesId: 'anthropic',
    source: 'https://platform.claude.com/docs/en/about-claude/models/overview',
  },
  {
    name: 'openrouter',
    kind: 'openai-compatible',
    baseURL: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    defaultModel: 'openai/gpt-5.6-sol',
    catalogue: [],
    pricesId: 'openrouter',
    source: 'https://openrouter.ai/docs/quickstart',
  },
  {
    name: 'groq',
    kind: 'openai-compatible',
    baseURL: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    defaultModel: 'openai/gpt-oss-120b',
    catalogue: ['llama-3.3-70b-versatile', 'llama-3.1-8b-instant'],
    pricesId: 'groq',
    source: 'https://console.groq.com/docs/openai',
  },
  {name: 'kimi', keyVariable: 'KIMI_API_KEY', ...kimi},
  {name: 'moonshot', keyVariable: 'MOONSHOT_API_KEY', ...kimi},
  {
    name: 'minimax',
    kind: 'openai-compatible',
    baseURL: 'https://api.minimax.io/v1',
    keyVariable: 'MINIMAX_API_KEY',
    defaultModel: 'MiniMax-M2.7',
    catalogue: ['MiniMax-M2.7', 'MiniMax-M2.7-highspeed', 'MiniMax-M2.5-highspeed'],
    pricesId: 'minimax',
    source: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
  },
  {
    name: 'mistral',
    kind: 'openai-compatible',
    baseURL: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    defaultModel: 'mistral-medium-latest',
    catalogue: ['mistral-medium-latest', 'mistral-small-latest', 'mistral-large-2512', 'codestral-2508'],
    pricesId: 'mistral',
    source: 'https://docs.mistral.ai/api',
  },
  {
    name: 'deepseek',
    kind: 'openai-compatible',
    baseURL: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-v4-pro',
    catalogue: ['deepseek-v4-pro', 'deepseek-v4-flash'],
    pricesId: 'deepseek',
    source: 'https://api-docs.deepseek.com/',
  },
  {
    name: 'xai',
    kind: 'openai-compatible',
    baseURL: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    defaultModel: 'grok-4.6',
    catalogue: ['grok-4.6', 'grok-4.5', 'grok-4.3', 'grok-code-fast-1'],
    pricesId: 'x-ai',
    source: 'https://docs.x.ai/docs/models',
  },
  {name: 'google', keyVariable: 'GOOGLE_API_KEY', ...gemini},
  {name: 'gemini', keyVariable: 'GEMINI_API_KEY', ...gemini},
  {name: 'ollama', baseURL: 'http://127.0.0.1:11434/v1', source: 'https://docs.ollama.com/api/openai-compatibility', ...local},
  {name: 'lmstudio', baseURL: 'http://127.0.0.1:1234/v1', source: 'https://lmstudio.ai/docs/developer/openai-compat', ...local},
  {
    name: 'llamacpp',
    baseURL: 'http://127.0.0.1:8080/v1',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
    ...local,
  },
  {
    name: 'vllm',
    baseURL: 'http://127.0.0.1:8000/v1',
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server',
    ...local,
  },
]

export const presetByName: ReadonlyMap<string, Preset> = new Map(presets.map((preset) => [preset.name, preset]))

/** Whose models a bare id belongs to, by how it begins; of several names the configured one is taken. */
const families: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(gpt|chatgpt|codex|o\d)/i, ['openai']],
  [/^claude/i, ['anthropic']],
  [/^gem(ini|ma)/i, ['google', 'gemini']],
  [/^grok/i, ['xai']],
  [/^deepseek/i, ['deepseek']],
  [/^(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|voxtral)/i, ['mistral']],
  [/^(kimi|moonshot)/i, ['kimi', 'moonshot']],
  [/^minimax/i, ['minimax']],
]

/** The providers that make models of this family, preferred first; empty for an unknown one. */
export function familyProviders(modelId: string): readonly string[] {
  return families.find(([pattern]) => pattern.test(modelId))?.[1] ?? []
}
