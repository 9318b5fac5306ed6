/**
 * What each kind of failure means outside the core: the HTTP status of the server, the exit code of the command line, and
 * the title of the problem document. The codes are a contract: they are added, never renamed.
 */
export const failures = {
  'bad-config': {status: 503, exit: 6, title: 'The configuration cannot be used'},
  'bad-schedule': {status: 409, exit: 1, title: 'The schedule does not parse'},
  'provider-not-configured': {status: 400, exit: 2, title: 'The model provider is not set up'},
  'budget-exceeded': {status: 422, exit: 1, title: 'The budget is used up'},
  'loop-limit': {status: 422, exit: 1, title: 'The turn made too many tool rounds'},
  'context-too-long': {status: 422, exit: 1, title: 'The conversation does not fit the model'},
  cancelled: {status: 409, exit: 130, title: 'The turn was cancelled'},
  interrupted: {status: 503, exit: 1, title: 'The turn was interrupted too often'},
  'storage-unavailable': {status: 503, exit: 1, title: 'The store cannot be used'},
  'store-too-new': {status: 503, exit: 6, title: 'The store was written by a newer svc'},
  'gateway-unreachable': {status: 503, exit: 5, title: 'No gateway is running'},
  'invalid-input': {status: 400, exit: 2, title: 'The input does not fit'},
  'unknown-model': {status: 400, exit: 2, title: 'No such model'},
  unauthorized: {status: 401, exit: 4, title: 'The token is missing or wrong'},
  'forbidden-origin': {status: 403, exit: 4, title: 'The request does not come from a local client'},
  'not-found': {status: 404, exit: 3, title: 'Not found'},
  'method-not-allowed': {status: 405, exit: 2, title: 'Method not allowed'},
  conflict: {status: 409, exit: 1, title: 'Conflict'},
  'too-large': {status: 413, exit: 2, title: 'Too large'},
  'unsupported-media-type': {status: 415, exit: 2, title: 'Not application/json'},
  'rate-limited': {status: 429, exit: 4, title: 'Too many failed logins'},
  'provider-auth': {status: 502, exit: 1, title: 'The model provider refused the key'},
  'provider-quota': {status: 502, exit: 1, title: 'The quota of the model provider is used up'},
  'provider-rate-limit': {status: 502, exit: 1, title: 'The model provider limits the rate'},
  'model-not-found': {status: 502, exit: 1, title: 'The model provider does not know the model'},
  'empty-reply': {status: 502, exit: 1, title: 'The model sent an empty reply'},
  'malformed-reply': {status: 502, exit: 1, title: 'The model provider sent a malformed reply'},
  'provider-unavailable': {status: 502, exit: 1, title: 'The model provider is not available'},
  'provider-timeout': {status: 504, exit: 1, title: 'The model provider did not answer in time'},
  busy: {status: 503, exit: 1, title: 'The turn queue is full'},
  'awaiting-approval': {status: 202, exit: 7, title: 'Waiting for an approval'},
  internal: {status: 500, exit: 70, title: 'Internal error'},
} as const satisfies Record<string, {status: number; exit: number; title: string}>

export type FailureCode = keyof typeof failures

/** One place where an input does not fit, as a path into it: `["models", "aliases", "gpt5.6"]`. */
export interface InputIssue {
  path: (string | number)[]
  message: string
}

interface SvcErrorOptions {
  /** What to do next, as a sentence or a command. */
  hint?: string | undefined
  /** The places that do not fit, for `invalid-input` and `bad-config`. */
  issues?: InputIssue[] | undefined
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** A failure the reader can act on. Anything else that is thrown is a bug: it keeps its stack and becomes `internal`. */
export class SvcError extends Error {
  override readonly name = 'SvcError'
  readonly code: FailureCode
  readonly hint: string | undefined
  readonly issues: InputIssue[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: FailureCode, message: string, options: SvcErrorOptions = {}) {
    super(message, {cause: options.cause})
    this.code = code
    this.hint = options.hint
    this.issues = options.issues
    this.retryAfter = options.retryAfter
  }
}
