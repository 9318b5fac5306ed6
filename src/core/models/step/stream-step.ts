import {
  type AssistantModelMessage,
  dynamicTool,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  type SystemModelMessage,
  streamText,
  type ToolSet,
} from 'ai'
import {classify, type FaultContext} from '../classify.js'
import type {RequestedCall, StepPart, StepRequest, StepUsage, ToolDeclaration} from '../provider.js'
import {type EndedStep, endless, failureOfEnd, LONGEST_REPLY, timedOut} from './end-of-step.js'
import {flattenHistory} from './flatten-history.js'
import {startWatchdog, type Watchdog} from './watchdog.js'

type StreamTextOptions = Parameters<typeof streamText>[0]
type ProviderOptions = NonNullable<StreamTextOptions['providerOptions']>

/** What differs between the kinds of providers. */
export interface StepModel {
  model: LanguageModel
  providerOptions?: ProviderOptions
  /** Put on the last part of the stable beginning and on the newest message, where the provider wants its cache marked. */
  cacheMark?: ProviderOptions
  context: FaultContext
}

// The SDK prints warnings to stdout, which carries data.
globalThis.AI_SDK_LOG_WARNINGS = false

/** One model call over the AI SDK, which neither retries nor runs tools here. @see ModelProvider.streamStep for what it throws */
export async function* streamStep(step: StepModel, request: StepRequest): AsyncGenerator<StepPart, void, undefined> {
  request.signal.throwIfAborted()
  const watchdog = startWatchdog(request.timeoutMs)
  const left = new AbortController()
  try {
    const signal = AbortSignal.any([request.signal, watchdog.signal, left.signal])
    yield* readStep(streamText(callOptions(step, request, signal)), step, request, watchdog)
  } catch (error) {
    request.signal.throwIfAborted()
    throw watchdog.signal.aborted ? timedOut(step.context, request.timeoutMs) : classify(error, step.context)
  } finally {
    watchdog.stop()
    // A caller that stops reading leaves the connection open otherwise.
    left.abort()
  }
}

async function* readStep(
  result: ReturnType<typeof streamText>,
  {context}: StepModel,
  request: StepRequest,
  watchdog: Watchdog,
): AsyncGenerator<StepPart, void, undefined> {
  const end: EndedStep = {text: '', calls: [], reason: 'interrupted', rawReason: undefined, usage: undefined}
  let fault: {error: unknown} | undefined
  let length = 0

  for await (const part of result.stream) {
    watchdog.heard(part.type === 'raw' || part.type === 'ping' ? 'sign' : 'output')
    length += lengthOf(part)
    if (length > LONGEST_REPLY) throw endless(context)
    switch (part.type) {
      case 'text-delta':
        end.text += part.text
        if (part.text) yield {type: 'text', text: part.text}
        break
      case 'reasoning-delta':
        if (part.text) yield {type: 'reasoning', text: part.text}
        break
      case 'tool-call':
        end.calls.push(
          part.invalid ? invalidCall(part, request.tools) : {id: part.toolCallId, name: part.toolName, input: part.input},
        )
        break
      case 'error':
        if (!isMissingEnd(part.error)) fault ??= {error: part.error}
        break
      case 'abort':
        request.signal.throwIfAborted()
        throw timedOut(context, request.timeoutMs)
      case 'finish-step':
        end.reason = part.finishReason
        end.rawReason = part.rawFinishReason
        end.usage = usageOf(part.usage)
    }
  }

  if (fault) throw fault.error
  const failure = failureOfEnd(end, context)
  if (failure) throw failure
  const messages = (await result.responseMessages).filter((message) => message.role === 'assistant')
  const invalid = new Set(end.calls.flatMap((call) => (call.invalid === undefined ? [] : [call.id])))
  const usage = end.usage ?? {inputTokens: 0, outputTokens: 0, cachedTokens: 0}
  yield {type: 'finish', messages: messages.map((message) => forHistory(message, invalid)), calls: end.calls, usage}
}

/** Characters of output in it. */
function lengthOf(part: {type: string; text?: string; delta?: unknown}): number {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return part.text?.length ?? 0
  return part.type === 'tool-input-delta' ? String(part.delta).length : 0
}

function callOptions(
  {model, providerOptions, cacheMark}: StepModel,
  request: StepRequest,
  abortSignal: AbortSignal,
): StreamTextOptions {
  const {tools, messages, system, maxOutputTokens, thinking} = request
  const history = tools.length > 0 ? messages : flattenHistory(messages)
  return {
    model,
    messages: cacheMark ? markLast(history, cacheMark) : history,
    ...(system && {instructions: systemMessage(system, cacheMark)}),
    ...(tools.length > 0 && {tools: declare(tools, system ? undefined : cacheMark)}),
    ...(thinking && {reasoning: thinking === 'off' ? ('none' as const) : thinking}),
    ...(providerOptions && {providerOptions}),
    maxOutputTokens,
    abortSignal,
    maxRetries: 0,
    stopWhen: isStepCount(1),
    // Events without output, such as pings, are seen only as raw chunks.
    include: {rawChunks: true},
    // Errors are thrown from the stream; the default prints them.
    onError: () => {},
  }
}

function systemMessage(content: string, cacheMark: ProviderOptions | undefined): SystemModelMessage {
  return {role: 'system', content, ...(cacheMark && {providerOptions: cacheMark})}
}

/** Without `execute`, so that the SDK never runs one. */
function declare(tools: ToolDeclaration[], cacheMark: ProviderOptions | undefined): ToolSet {
  const set: ToolSet = {}
  for (const {name, description, inputSchema} of tools) {
    const providerOptions = name === tools.at(-1)?.name ? cacheMark : undefined
    set[name] = dynamicTool({description, inputSchema: jsonSchema(inputSchema), ...(providerOptions && {providerOptions})})
  }
  return set
}

function markLast(messages: ModelMessage[], cacheMark: ProviderOptions): ModelMessage[] {
  const last = messages.at(-1)
  return last ? [...messages.slice(0, -1), {...last, providerOptions: {...last.providerOptions, ...cacheMark}}] : messages
}

function invalidCall(part: {toolCallId: string; toolName: string; input: unknown}, tools: ToolDeclaration[]): RequestedCall {
  const names = tools.map((declared) => declared.name)
  const invalid = names.includes(part.toolName)
    ? `The input is not valid JSON: ${String(part.input).slice(0, 200)}`
    : `There is no tool "${part.toolName}". There is: ${names.join(', ') || 'none'}.`
  return {id: part.toolCallId, name: part.toolName, input: part.input, invalid}
}

/**
 * The message as it may be sent back. Providers take only objects as inputs: one that could not be parsed becomes `{}`, its text
 * stands in the result. The SDK's record of how a reply began is of no use to anybody.
 */
function forHistory(message: AssistantModelMessage, invalid: ReadonlySet<string>): AssistantModelMessage {
  if (typeof message.content === 'string') return message
  const content = message.content
    .filter((part) => part.type !== 'custom')
    .map((part) =>
      part.type === 'tool-call' && invalid.has(part.toolCallId) && !isObject(part.input) ? {...part, input: {}} : part,
    )
  return {...message, content}
}

/** How the SDK puts it that the stream just stopped; told by the words, its error classes are used for other things too. */
function isMissingEnd(error: unknown): boolean {
  return error instanceof Error && /ended without a finish (reason|chunk)/.test(error.message)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface SdkUsage {
  inputTokens: number | undefined
  outputTokens: number | undefined
  inputTokenDetails: {cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined}
}

function usageOf({inputTokens = 0, outputTokens = 0, inputTokenDetails}: SdkUsage): StepUsage {
  const {cacheReadTokens: cachedTokens = 0, cacheWriteTokens = 0} = inputTokenDetails
  return {inputTokens, outputTokens, cachedTokens, ...(cacheWriteTokens > 0 && {cacheWriteTokens})}
}
