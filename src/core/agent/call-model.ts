import {setTimeout as sleep} from 'node:timers/promises'
import {SvcError} from '../errors.js'
import {ProviderFailure, type StepRequest} from '../models/provider.js'
import {checkLimits} from './limits.js'
import type {Run, StepResult} from './run.js'
import type {TurnEventBody} from './turn-event.js'

const MOST_RETRIES = 4
const LONGEST_DELAY_MS = 60_000

/** What a call needs besides the model. */
export interface Prompt extends Pick<StepRequest, 'system' | 'messages' | 'tools'> {
  /** The text is for us, not for the turn's readers. */
  silent?: boolean
}

/**
 * One model step: the model in use, again after a fault that may pass, without tools when it takes none, then the agent's
 * fallback models. Tells the turn's readers about every new attempt.
 *
 * @throws ProviderFailure of the last model, when none answered
 * @throws SvcError `loop-limit`, `budget-exceeded`: asked before every attempt, since failed ones and summaries cost too
 * @throws the signal's reason
 */
export async function callModel(run: Run, prompt: Prompt): Promise<StepResult> {
  for (;;) {
    try {
      return await callWithRetries(run, prompt)
    } catch (error) {
      if (!(error instanceof ProviderFailure) || error.code === 'context-too-long') throw error
      const next = nextFallback(run)
      if (!next) throw error
      await announce(run, {attempt: 1, reason: error.message, model: next.id, delayMs: 0})
      run.model = next
    }
  }
}

async function callWithRetries(run: Run, prompt: Prompt): Promise<StepResult> {
  for (let attempt = 1; ; attempt++) {
    await checkLimits(run)
    try {
      return await callOnce(run, run.tools.length === 0 ? {...prompt, tools: []} : prompt)
    } catch (error) {
      run.signal.throwIfAborted()
      if (!(error instanceof ProviderFailure)) throw error
      await recordFailed(run, error)
      const delayMs = delayBefore(attempt, error, run)
      if (delayMs === undefined) throw error
      await announce(run, {attempt: attempt + 1, reason: error.message, model: run.model.id, delayMs})
      await sleep(delayMs, undefined, {signal: run.signal}).catch(() => run.signal.throwIfAborted())
    }
  }
}

async function callOnce(run: Run, {silent = false, ...prompt}: Prompt): Promise<StepResult> {
  const {app, agent, model, signal, deltas} = run
  const facts = await app.models.facts(model)
  const provider = await app.models.provider(model.provider)
  const started = performance.now()
  let firstTokenMs: number | null = null
  let text = ''
  const parts = provider.streamStep({
    ...prompt,
    modelId: model.modelId,
    maxOutputTokens: Math.min(agent.maxOutputTokens, facts.maxOutput ?? Infinity),
    thinking: agent.thinking,
    timeoutMs: app.models.timeoutMs(model.provider),
    signal,
  })
  for await (const part of parts) {
    signal.throwIfAborted()
    firstTokenMs ??= performance.now() - started
    if (part.type === 'finish') {
      const usage = await app.models.price(model, part.usage, app.now())
      const durationMs = performance.now() - started
      return {model: model.id, usage, durationMs, firstTokenMs, messages: part.messages, calls: part.calls, text}
    }
    if (part.type === 'text') text += part.text
    if (!silent) deltas.add(part.type === 'text' ? 'text.delta' : 'reasoning.delta', part.text)
  }
  throw new ProviderFailure('provider-unavailable', `${model.provider} broke the reply off.`, {retryable: true})
}

/** A reply that cannot be used was paid for all the same. */
async function recordFailed({app, turn, model, step}: Run, {usage}: ProviderFailure): Promise<void> {
  if (!usage) return
  const at = app.now()
  const priced = await app.models.price(model, usage, at)
  const record = {step, model: model.id, usage: priced, durationMs: 0, firstTokenMs: null}
  await app.store.turns.addCost(turn, record, at.toISOString())
}

/** How long to wait before trying again, in milliseconds; undefined when there is no point. */
function delayBefore(attempt: number, failure: ProviderFailure, run: Run): number | undefined {
  if (failure.toolsRejected && run.tools.length > 0) {
    run.tools = []
    return 0
  }
  if (!failure.retryable || attempt > MOST_RETRIES) return undefined
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs <= LONGEST_DELAY_MS ? failure.retryAfterMs : undefined
  const ceiling = Math.min(run.app.engine.retryBaseMs * 2 ** (attempt - 1), LONGEST_DELAY_MS)
  // Half fixed, half random: enough of a wait each time, and two turns that failed together do not return together.
  return ceiling / 2 + Math.random() * (ceiling / 2)
}

/** The next fallback that can be used at all. */
function nextFallback(run: Run) {
  for (let name = run.fallbacks.shift(); name !== undefined; name = run.fallbacks.shift()) {
    try {
      return run.app.models.resolve(name)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      run.app.log.warn('A fallback model cannot be used.', {agent: run.agent.id, model: name, error: error.message})
    }
  }
  return undefined
}

async function announce(run: Run, retry: Omit<Extract<TurnEventBody, {type: 'turn.retrying'}>, 'type'>): Promise<void> {
  const {app, turn, deltas} = run
  const rounded = {...retry, delayMs: Math.round(retry.delayMs)}
  app.log.warn('A model step is made again.', {turn: turn.id, ...rounded})
  const reset = await deltas.reset()
  await app.store.events.append(turn, [{type: 'turn.retrying', ...rounded}, ...reset], app.now().toISOString())
}
