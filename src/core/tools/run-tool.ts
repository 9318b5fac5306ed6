import type {z} from 'zod'
import type {ToolCallEnd, ToolOutput} from '../agent/tool-call.js'
import {SvcError} from '../errors.js'
import type {Tool, ToolContext} from './tool.js'
import {formatBytes, truncateBytes} from './truncate.js'

export interface ToolRun {
  status: Extract<ToolCallEnd, 'done' | 'failed' | 'timeout' | 'cancelled'>
  output: ToolOutput
}

const defaultTimeoutMs = 60_000
const largestOutput = 100 * 1024

/**
 * Runs a checked call to its end and never rejects. It returns when the time is up or `context.signal` aborts, even when the tool
 * ignores its signal; what such a tool still does is its own fault, and what it returns later is dropped.
 */
export async function runTool<Input extends z.ZodType>(
  tool: Tool<Input>,
  input: z.output<Input>,
  context: ToolContext,
): Promise<ToolRun> {
  if (context.signal.aborted) return cancelled
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Error('The time limit of the tool is reached.')), timeoutMs)
  const signal = AbortSignal.any([context.signal, timeout.signal])
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    const running = (async () => tool.run(input, {...context, signal}))()
    return {status: 'done', output: toOutput(await Promise.race([running, aborted.promise]))}
  } catch (error) {
    if (context.signal.aborted) return cancelled
    if (timeout.signal.aborted)
      return {status: 'timeout', output: failure(`${tool.name} did not end within ${timeoutMs / 1000} s.`)}
    return {status: 'failed', output: failure(describe(error))}
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The input as the tool takes it, or what the model should correct. */
export function checkInput<Input extends z.ZodType>(
  tool: Tool<Input>,
  raw: unknown,
): {ok: true; input: z.output<Input>} | {ok: false; message: string} {
  const parsed = tool.input.safeParse(raw)
  if (parsed.success) return {ok: true, input: parsed.data}
  const issues = parsed.error.issues.slice(0, 5).map((issue) => `- ${issue.path.join('.') || 'input'}: ${issue.message}`)
  return {ok: false, message: [`The input does not fit the tool "${tool.name}"; it did not run:`, ...issues].join('\n')}
}

const failure = (text: string): ToolOutput => ({type: 'error-text', value: capped(storable(text))})

const cancelled: ToolRun = {status: 'cancelled', output: {type: 'error-text', value: 'The call was cancelled.'}}

function describe(error: unknown): string {
  if (error instanceof SvcError && error.hint) return `${error.message}\n${error.hint}`
  return error instanceof Error ? error.message || error.name : String(error)
}

/** @throws TypeError when the value has a circle in it */
function toOutput(value: unknown): ToolOutput {
  if (value === undefined || value === null || value === '') return {type: 'text', value: '(no output)'}
  if (typeof value === 'string') return {type: 'text', value: capped(storable(value))}
  const json = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return item.toString()
    return typeof item === 'string' ? storable(item) : item
  })
  if (json === undefined) return {type: 'text', value: '(no output)'}
  // Cut JSON is not JSON any more: what is too long goes on as text.
  return Buffer.byteLength(json) > largestOutput ? {type: 'text', value: capped(json)} : {type: 'json', value: JSON.parse(json)}
}

/** Half a surrogate pair is no UTF-8, and PostgreSQL keeps no NUL. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

function capped(text: string): string {
  const size = Buffer.byteLength(text)
  if (size <= largestOutput) return text
  return `${truncateBytes(text, largestOutput)}\n[output cut: the first ${formatBytes(largestOutput)} of ${formatBytes(size)}]`
}
