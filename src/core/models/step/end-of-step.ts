import type {FinishReason} from 'ai'
import type {FaultContext} from '../classify.js'
import {ProviderFailure, type RequestedCall, type StepUsage} from '../provider.js'

/** What is known when the stream is over. */
export interface EndedStep {
  text: string
  calls: RequestedCall[]
  reason: FinishReason
  /** The provider's own word for it. */
  rawReason: string | undefined
  usage: StepUsage | undefined
}

/** Why a reply that came without an error cannot be used all the same; undefined when it can. */
export function failureOfEnd(
  {text, calls, reason, rawReason, usage}: EndedStep,
  context: FaultContext,
): ProviderFailure | undefined {
  const who = `${context.provider} (${context.modelId})`
  const empty = text.trim() === '' && calls.length === 0

  if (reason === 'content-filter') {
    const hint = 'Say it differently, or choose another model.'
    return new ProviderFailure('empty-reply', `${who} withheld its reply: a content filter stopped it.`, {
      retryable: false,
      usage,
      hint,
    })
  }
  // Only the protocols with a word for the end give it as `rawReason`; without one, `other` means that nothing was said.
  const brokenOff = reason === 'error' || reason === 'interrupted' || rawReason === 'error' || (reason === 'other' && !rawReason)
  if (brokenOff && !empty) {
    return new ProviderFailure('provider-unavailable', `${who} ended its reply in the middle.`, {
      retryable: true,
      usage,
      hint: 'Try again.',
    })
  }
  if (empty && reason === 'length') {
    const hint = 'Raise maxOutputTokens of the agent, or lower its thinking.'
    return new ProviderFailure('empty-reply', `${who} used up its output tokens before it said anything.`, {
      retryable: false,
      usage,
      hint,
    })
  }
  if (empty)
    return new ProviderFailure('empty-reply', `${who} sent an empty reply.`, {retryable: true, usage, hint: 'Try again.'})
  return undefined
}

/** Characters; several times what a model can say. A server that never stops would fill memory and disk. */
export const LONGEST_REPLY = 2_000_000

export function endless({provider, modelId}: FaultContext): ProviderFailure {
  const message = `${provider} (${modelId}) does not stop: its reply has more than ${LONGEST_REPLY} characters.`
  return new ProviderFailure('malformed-reply', message, {retryable: false, hint: 'Choose another model.'})
}

export function timedOut({provider, modelId}: FaultContext, timeoutMs: number): ProviderFailure {
  const message = `${provider} (${modelId}) sent nothing for ${timeoutMs / 1000} s.`
  const hint = `Try again, or give it longer: models.providers.${provider}.timeoutMs.`
  return new ProviderFailure('provider-timeout', message, {retryable: true, hint})
}
