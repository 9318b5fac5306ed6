import type {ModelMessage} from 'ai'
import type {FailureCode} from '../errors.js'
import {SvcError} from '../errors.js'

/** A tool as the model sees it. */
export interface ToolDeclaration {
  name: string
  description: string
  /** JSON Schema of the input, an object. */
  inputSchema: Record<string, unknown>
}

/** One model call. Retries, fallback, tools and the journal are the turn engine's, never the provider's. */
export interface StepRequest {
  /** The id at the provider, without the `provider/` part. */
  modelId: string
  system: string
  /** The history in the AI SDK's form, the newest message last; it crosses providers unchanged. */
  messages: ModelMessage[]
  /** Empty: the request carries no tool field at all. */
  tools: ToolDeclaration[]
  maxOutputTokens: number
  /** Reasoning effort; undefined leaves it to the model. */
  thinking: 'off' | 'low' | 'medium' | 'high' | undefined
  /** How long to wait for the first sign of life, and between two of them. */
  timeoutMs: number
  signal: AbortSignal
}

export interface StepUsage {
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  /** The part of `inputTokens` that the provider wrote to its cache, where that has a price of its own. */
  cacheWriteTokens?: number
}

/** A tool call as the model asked for it; `invalid` says why its input cannot be used. */
export interface RequestedCall {
  id: string
  name: string
  input: unknown
  invalid?: string
}

/**
 * What one call yields. `finish` comes exactly once and last, and only when the provider itself ended the reply properly:
 * a stream without it was cut, and nothing of it may be used.
 */
export type StepPart =
  | {type: 'text'; text: string}
  | {type: 'reasoning'; text: string}
  | {type: 'finish'; messages: ModelMessage[]; calls: RequestedCall[]; usage: StepUsage}

export interface ModelProvider {
  /** The key under `models.providers`, the part before the `/` of a model's full id. */
  readonly name: string
  readonly kind: ProviderKind
  /**
   * @throws ProviderFailure every fault of the provider or the way to it, classified
   * @throws the signal's reason when the caller aborts
   */
  streamStep(request: StepRequest): AsyncIterable<StepPart>
}

export type ProviderKind = 'openai' | 'anthropic' | 'openai-compatible' | 'offline'

/** How a model call can fail; the failures of every endpoint and page that tells of model calls are made from this. */
export const providerFailureCodes = [
  'provider-auth',
  'provider-quota',
  'provider-rate-limit',
  'model-not-found',
  'empty-reply',
  'malformed-reply',
  'provider-unavailable',
  'provider-timeout',
  'context-too-long',
] as const satisfies readonly FailureCode[]

type ProviderFailureCode = (typeof providerFailureCodes)[number]

interface ProviderFailureOptions {
  retryable: boolean
  retryAfterMs?: number | undefined
  toolsRejected?: boolean
  usage?: StepUsage | undefined
  hint?: string | undefined
  cause?: unknown
}

/** A failed model call, classified. */
export class ProviderFailure extends SvcError {
  /** Whether the same call may succeed later: never for quota, auth or an unknown model. */
  readonly retryable: boolean
  /** What the provider asked for in `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The model refused the request because it carried tools; without them it may answer. */
  readonly toolsRejected: boolean
  /** What the call cost although its reply cannot be used; undefined when the provider did not say. */
  readonly usage: StepUsage | undefined

  constructor(code: ProviderFailureCode, message: string, options: ProviderFailureOptions) {
    super(code, message, {hint: options.hint, cause: options.cause})
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs
    this.toolsRejected = options.toolsRejected ?? false
    this.usage = options.usage
  }
}
