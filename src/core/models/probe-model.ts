import type {App} from '../app.js'
import type {Usage} from '../usage/usage.js'
import type {ResolvedModel} from './models.js'

/** Nobody waits longer to learn that a provider does not answer. */
const LONGEST_WAIT_MS = 30_000
/** Room for a model that thinks before it says one word. */
const MOST_TOKENS = 1024

export interface Probe {
  model: string
  reply: string
  /** Until the first sign of life, in milliseconds. */
  firstTokenMs: number
  durationMs: number
  usage: Usage
}

/**
 * One small real call, outside of every conversation and never repeated.
 *
 * @throws SvcError `provider-…`, `model-not-found`, `empty-reply`, … what is wrong with the provider, the key or the model
 */
export async function probeModel(app: Pick<App, 'models' | 'now'>, model: ResolvedModel): Promise<Probe> {
  const provider = await app.models.provider(model.provider)
  const started = performance.now()
  const elapsed = () => Math.round(performance.now() - started)
  let firstTokenMs: number | undefined
  let reply = ''
  let usage: Usage | undefined
  const parts = provider.streamStep({
    modelId: model.modelId,
    system: 'You are being tested. Answer in one short sentence.',
    messages: [{role: 'user', content: 'Say hello.'}],
    tools: [],
    maxOutputTokens: MOST_TOKENS,
    thinking: undefined,
    timeoutMs: Math.min(app.models.timeoutMs(model.provider), LONGEST_WAIT_MS),
    signal: new AbortController().signal,
  })
  for await (const part of parts) {
    firstTokenMs ??= elapsed()
    if (part.type === 'text') reply += part.text
    if (part.type === 'finish') usage = await app.models.price(model, part.usage, app.now())
  }
  const unknown = {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: null}
  return {model: model.id, reply, firstTokenMs: firstTokenMs ?? elapsed(), durationMs: elapsed(), usage: usage ?? unknown}
}
