import {type ProviderFailure as Failure, ProviderFailure} from './provider.js'
import {type FaultReport, readFault} from './read-fault.js'
import {redact} from './redact.js'

/** Who was asked what, for the message; and what must not show up in it. */
export interface FaultContext {
  provider: string
  modelId: string
  /** Key and header values. */
  secrets: readonly string[]
}

type Code = ConstructorParameters<typeof ProviderFailure>[0]

interface Verdict {
  code: Code
  retryable: boolean
  hint: string
  toolsRejected?: boolean
}

/** Waiting longer than this is not worth it within a turn: the failure counts as lasting, so that fallbacks get their chance. */
const longestWaitMs = 5 * 60_000

/** What went wrong in a model call, as the failure it means. Never throws. */
export function classify(error: unknown, context: FaultContext): Failure {
  if (error instanceof ProviderFailure) return error
  const fault = readFault(error)
  const {code, retryable, hint, toolsRejected = false} = judge(fault, context)
  const {retryAfterMs} = fault
  const asksTooMuch = retryAfterMs !== undefined && retryAfterMs > longestWaitMs
  return new ProviderFailure(code, describe(fault, context), {
    retryable: retryable && !asksTooMuch,
    retryAfterMs,
    toolsRejected,
    hint,
  })
}

/** What a provider says about money rather than speed. Anthropic uses status 400 for it, OpenRouter and DeepSeek 402, OpenAI 429. */
const quotaWords =
  /insufficient[_ ](quota|balance|credit|funds)|exceeded your current quota|credit balance|billing|out of credits|payment required|spend(ing)? limit/i
const toolWords =
  /not support (the use of )?(tools?|function)|support tool use|(tools?|tool[_ ]?(use|calling|choice)|functions?|function calling)[`'"]? (parameter )?(is|are) (not supported|unsupported|not enabled|not available)|unsupported (parameter|value)?:? ?[`'"]?tools\b|enable-auto-tool-choice/i
const contextWords =
  /context[_ ](length|window|size|limit)|maximum context|prompt is too long|too many (input )?tokens|input is too long|reduce the length|request[_ ]too[_ ]large|exceeds? the (maximum|available) (number of tokens|context)/i
const modelWords =
  /model[_ ]not[_ ]found|(no such|unknown|invalid) model\b|\bmodel\b.*(not found|not exist|not available|not a valid|not supported|no longer|decommissioned|deprecated|not have access|no access)|not a valid model|pulling it first|no endpoints found for|^model: /i
const overloadWords =
  /overloaded|server[_ ](is )?(busy|error)|internal error|try again later|at capacity|temporarily unavailable/i

function judge(fault: FaultReport, context: FaultContext): Verdict {
  const {status, words} = fault
  if (fault.kind === 'network')
    return unavailable(`Check the network and models.providers.${context.provider}.baseURL.`, !fault.lasting)
  if (fault.kind === 'timeout') return timedOut(context)
  if (fault.kind === 'web-page') return webPage(fault, context)
  if (fault.kind === 'unreadable') return malformed(context)

  if (toolWords.test(words)) {
    return {
      code: 'provider-unavailable',
      retryable: false,
      toolsRejected: true,
      hint: 'Choose a model that can call tools, or an agent without tools.',
    }
  }
  if (contextWords.test(words)) {
    return {
      code: 'context-too-long',
      retryable: false,
      hint: 'Compact the session or start a new one, or choose a model with a larger context.',
    }
  }
  if (status === 402 || quotaWords.test(words)) {
    return {
      code: 'provider-quota',
      retryable: false,
      hint: `Check plan and billing at ${context.provider}, or choose another model.`,
    }
  }
  if (status === 429) return {code: 'provider-rate-limit', retryable: true, hint: 'Wait a little, or choose another model.'}
  if (status >= 400 && status < 500 && status !== 401 && modelWords.test(words)) return modelNotFound(context)
  if (status === 401 || status === 403) {
    return {
      code: 'provider-auth',
      retryable: false,
      hint: `Check the key of ${context.provider}, then: svc model test ${context.provider}/${context.modelId}`,
    }
  }
  if (status === 404) return fault.structured ? modelNotFound(context) : unavailable(addressHint(context), false)
  if (status === 408) return timedOut(context)
  if (status >= 500 || status === 409 || overloadWords.test(words))
    return unavailable('Try again, or choose another model.', true)
  if (status === 0) return unavailable('Try again.', true)
  return unavailable('The provider does not accept this request; choose another model or look into the log.', false)
}

function unavailable(hint: string, retryable: boolean): Verdict {
  return {code: 'provider-unavailable', retryable, hint}
}

function timedOut({provider}: FaultContext): Verdict {
  return {
    code: 'provider-timeout',
    retryable: true,
    hint: `Try again, or give it longer: models.providers.${provider}.timeoutMs.`,
  }
}

function modelNotFound({provider}: FaultContext): Verdict {
  return {code: 'model-not-found', retryable: false, hint: `Choose one of ${provider}'s models: svc model ${provider}/MODEL`}
}

/** A page instead of an answer: from a proxy when something is down, and from the wrong address always. */
function webPage({status}: FaultReport, context: FaultContext): Verdict {
  if (status >= 500) return unavailable('Try again, or choose another model.', true)
  return {code: 'malformed-reply', retryable: false, hint: addressHint(context)}
}

/** Retryable: what garbles one reply, a proxy or a bad moment, is usually gone at the next. The engine bounds the attempts. */
function malformed(context: FaultContext): Verdict {
  return {code: 'malformed-reply', retryable: true, hint: `Try again; if it lasts: ${addressHint(context)}`}
}

function addressHint({provider}: FaultContext): string {
  return `Check that models.providers.${provider}.baseURL is the address of the API itself.`
}

function describe(fault: FaultReport, {provider, modelId, secrets}: FaultContext): string {
  const said = redact(fault.message, secrets)
  const verb = {
    answer: fault.status > 0 ? `answered ${fault.status}` : 'reported an error',
    network: 'cannot be reached, or broke the connection',
    timeout: 'did not answer in time',
    'web-page': fault.status > 0 ? `answered ${fault.status} with a web page` : 'answered with a web page',
    unreadable: 'sent a reply that cannot be read',
  }[fault.kind]
  return redact(`${provider} (${modelId}) ${verb}${said ? `: ${said}` : '.'}`, secrets, 400)
}
