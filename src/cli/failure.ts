import {styleText} from 'node:util'
import {Errors} from '@oclif/core'
import {type FailureCode, failures, type InputIssue, SvcError} from '../core/errors.js'
import {oneLine, plain} from './plain.js'

/** What the reader learns about a failure; under `--json` it is the member `error`, without the stack. */
export interface Failure {
  code: FailureCode
  detail: string
  why?: string | undefined
  hint: string | null
  exit: number
  issues?: InputIssue[]
  /** Seconds. */
  retryAfter?: number
  /** Names one failure that is our bug, in what the user sees and sends us. */
  id?: string
  stack?: string | undefined
}

interface Reporting {
  json: boolean
  verbose: boolean
  warnings?: string[]
  /** What `Try:` suggests when the command line does not parse. */
  usage?: string
}

/** Prints the failure the way the command line promises, to stdout under `--json` and else to stderr, and sets the exit code. */
export function reportFailure(error: unknown, {json, verbose, warnings = [], usage = 'svc --help'}: Reporting): void {
  if (error instanceof Errors.ExitError) {
    process.exitCode = error.oclif.exit ?? 1
    return
  }

  const {stack, ...failure} = describeFailure(error, usage)
  process.exitCode = failure.exit
  if (json) {
    const envelope = {schemaVersion: 1, ok: false, error: failure, ...(warnings.length > 0 && {warnings})}
    process.stdout.write(`${JSON.stringify(envelope)}\n`)
  } else {
    const lines = [`${styleText('red', 'Error:', {stream: process.stderr})} ${plain(failure.detail)}`]
    if (failure.why) lines.push(plain(failure.why))
    if (failure.hint) lines.push(`Try: ${plain(failure.hint)}`)
    process.stderr.write(`${lines.join('\n')}\n`)
  }
  if (verbose && stack) process.stderr.write(`${stack}\n`)
}

/** @param usage command that shows how the command line should look */
export function describeFailure(error: unknown, usage: string): Failure {
  if (error instanceof SvcError) {
    return {
      code: error.code,
      detail: error.message,
      why: error.issues?.map(({path, message}) => `${formatPath(path)}: ${message}`).join('\n') ?? causeOf(error),
      hint: error.hint ?? null,
      exit: failures[error.code].exit,
      ...(error.issues && {issues: error.issues}),
      ...(error.retryAfter !== undefined && {retryAfter: error.retryAfter}),
      stack: error.stack,
    }
  }
  if (isUsageError(error)) {
    const {exit} = failures['invalid-input']
    return {code: 'invalid-input', detail: usageDetail(error.message), hint: usage, exit, stack: error.stack}
  }
  const id = crypto.randomUUID().slice(0, 8)
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : `Not an error was thrown: ${String(error)}`
  return {
    code: 'internal',
    detail: `svc has a bug (${id}).`,
    why: reason,
    hint: 'the same command with --verbose shows where; please report it with the number',
    exit: failures.internal.exit,
    id,
    stack: error instanceof Error ? error.stack : undefined,
  }
}

/** oclif throws a CLIError for everything that is wrong with a command line, and a ModuleLoadError for a command that is broken. */
function isUsageError(error: unknown): error is Errors.CLIError {
  return error instanceof Errors.CLIError && !(error instanceof Errors.ModuleLoadError)
}

/** The parser's words in one sentence: its lists of names and descriptions become `id (which job), text (what to send)`. */
function usageDetail(message: string): string {
  const detail = oneLine(message.replace('See more help with --help', '').replaceAll(/\n(\w+) {2,}(.+)/g, ' $1 ($2),'))
    .replace(/^The following errors? occurred: /, '')
    .replace(/^Nonexistent flags?: /, 'Unknown flag ')
    .replace(/^Parsing (--[\w-]+) /, '$1: ')
    .replace(/^Missing \d+ required args?: ?/, 'Missing argument: ')
    .replace(/,$/, '')
  return /[.!?]$/.test(detail) ? detail : `${detail}.`
}

function causeOf(error: Error): string | undefined {
  return error.cause instanceof Error && !error.message.includes(error.cause.message) ? error.cause.message : undefined
}

/** As `svc config get` takes it: `models.aliases["gpt5.6"]`. */
function formatPath(path: (string | number)[]): string {
  const text = path
    .map((key) => (/^[\w-]+$/.test(`${key}`) && typeof key === 'string' ? `.${key}` : `[${JSON.stringify(key)}]`))
    .join('')
  return text.replace(/^\./, '') || 'the whole'
}
