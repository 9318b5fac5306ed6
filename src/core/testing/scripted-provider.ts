import {setTimeout as sleep} from 'node:timers/promises'
import type {AssistantModelMessage} from 'ai'
import {
  type ModelProvider,
  ProviderFailure,
  type RequestedCall,
  type StepPart,
  type StepRequest,
  type StepUsage,
} from '../models/provider.js'

interface ScriptedCall {
  name: string
  input?: unknown
  /** Like the id of a real provider, it may repeat; a rising one when it is not said. */
  id?: string
  invalid?: string
}

interface Opening {
  /** Pieces of text, each its own part. */
  text?: string | string[]
  reasoning?: string
  /** Holds the step back until the test lets go, before anything is sent. Aborting still ends it. */
  until?: Promise<unknown>
}

/** What one model call does. All begin with the opening; then: */
export type ScriptedStep = Opening &
  (
    | {end?: 'finish'; calls?: ScriptedCall[]; usage?: Partial<StepUsage>}
    /** The provider fails; after some text when the opening has one. */
    | {end: 'fail'; failure: ProviderFailure}
    /** The connection ends quietly: no `finish`, no error. */
    | {end: 'cut'}
    /** Silence: `provider-timeout` after the request's `timeoutMs`, or the reason of the caller's abort. */
    | {end: 'stall'}
  )

/** Steps in order, the last of them never repeated; or a function of the request and its number from 1. */
export type Script = readonly (ScriptedStep | string)[] | ((request: StepRequest, number: number) => ScriptedStep | string)

export interface ScriptedProvider extends ModelProvider {
  /** Every request so far, copied as it was when it came, its signal aside. */
  readonly requests: Omit<StepRequest, 'signal'>[]
}

/**
 * A model that follows a script, in process and without a clock: the double of the engine's tests and of `doctor --drill`. A step
 * that is only a string is a reply with that text. Any model id is served. A call beyond the script throws a plain Error.
 */
export function createScriptedProvider(name: string, script: Script): ScriptedProvider {
  const requests: Omit<StepRequest, 'signal'>[] = []
  let calls = 0
  const nextCallId = () => `call_${++calls}`
  return {
    name,
    kind: 'offline',
    requests,
    async *streamStep(request) {
      const {signal, ...copied} = request
      requests.push(structuredClone(copied))
      const number = requests.length
      const step = typeof script === 'function' ? script(request, number) : script[number - 1]
      if (step === undefined) throw new Error(`The script of "${name}" has no step ${number}.`)
      yield* play(typeof step === 'string' ? {text: step} : step, request, nextCallId)
    },
  }
}

async function* play(step: ScriptedStep, request: StepRequest, nextCallId: () => string): AsyncGenerator<StepPart> {
  request.signal.throwIfAborted()
  if (step.until) await orAbort(step.until, request.signal)
  if (step.reasoning) yield {type: 'reasoning', text: step.reasoning}
  const texts = step.text === undefined ? [] : [step.text].flat()
  for (const text of texts) {
    request.signal.throwIfAborted()
    yield {type: 'text', text}
  }
  if (step.end === 'cut') return
  if (step.end === 'fail') throw step.failure
  if (step.end === 'stall') return void (await stall(request))
  request.signal.throwIfAborted()
  const calls = (step.calls ?? []).map((call) => requested(call, nextCallId))
  const usage = {inputTokens: 0, outputTokens: 0, cachedTokens: 0, ...step.usage}
  yield {type: 'finish', messages: [assistantMessage(texts.join(''), calls)], calls, usage}
}

async function stall({timeoutMs, signal}: StepRequest): Promise<void> {
  await sleep(timeoutMs, undefined, {signal}).catch(() => signal.throwIfAborted())
  throw new ProviderFailure('provider-timeout', `The model sent nothing for ${timeoutMs} ms.`, {retryable: true})
}

async function orAbort(awaited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    await Promise.race([awaited, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function requested(call: ScriptedCall, nextCallId: () => string): RequestedCall {
  const {name, input = {}, id = nextCallId(), invalid} = call
  return {id, name, input, ...(invalid !== undefined && {invalid})}
}

function assistantMessage(text: string, calls: RequestedCall[]): AssistantModelMessage {
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{type: 'text' as const, text}]),
      ...calls.map(({id, name, input}) => ({type: 'tool-call' as const, toolCallId: id, toolName: name, input})),
    ],
  }
}
