import {randomBytes} from 'node:crypto'
import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http'
import {finished} from 'node:stream/promises'
import {setTimeout as delay} from 'node:timers/promises'
import type {Log} from '../core/config/log.js'
import {type FailureCode, failures, type InputIssue, SvcError} from '../core/errors.js'
import {hasBody} from './body.js'
import {secured} from './secured.js'

/** RFC 9457. */
export interface Problem {
  type: string
  title: string
  status: number
  /** What happened, to whom. */
  detail: string
  code: FailureCode
  /** What to do next. */
  hint?: string
  errors?: InputIssue[]
}

/** How long a sender may go on sending a body that nobody reads, before the connection is closed under it. */
const LINGER_MS = 1000

/** Answers with the failure. Whatever is not an SvcError is a bug: the log gets it, the client only an id to look for. */
export async function sendProblem(
  {req, res, log}: {req: IncomingMessage; res: ServerResponse; log: Log},
  failure: unknown,
  headers: Record<string, string> = {},
): Promise<void> {
  const error = failure instanceof SvcError ? failure : reportBug(failure, req, log)
  if (res.headersSent) {
    // A stream that began cannot change its status; cutting it tells the reader that it is not complete.
    res.destroy()
    return
  }
  const body = Buffer.from(JSON.stringify(toProblem(error)))
  const stillSending = hasBody(req) && !req.complete
  res.writeHead(failures[error.code].status, {
    ...secured('application/problem+json', body.length),
    ...(error.retryAfter !== undefined && {'retry-after': String(error.retryAfter)}),
    ...headers,
    ...(error.code === 'unauthorized' && {'www-authenticate': 'Bearer'}),
    ...(stillSending && {connection: 'close'}),
  })
  if (stillSending) await letSenderRead(req, res, body)
  res.end(stillSending ? undefined : body)
}

/** The document of a failure. */
export function toProblem(error: SvcError): Problem {
  const {status, title} = failures[error.code]
  return {
    type: `urn:svc:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(error.hint !== undefined && {hint: error.hint}),
    ...(error.issues && {errors: error.issues}),
  }
}

/** The whole reply as bytes, for a connection whose request never became one. */
export function rawProblem(error: SvcError, status: number = failures[error.code].status): string {
  const body = JSON.stringify({...toProblem(error), status})
  const headers = {...secured('application/problem+json', Buffer.byteLength(body)), connection: 'close'}
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

function reportBug(failure: unknown, req: IncomingMessage, log: Log): SvcError {
  const id = randomBytes(6).toString('hex')
  const error = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)
  log.error('An endpoint failed unexpectedly.', {id, method: req.method, path: req.url?.split('?')[0], error})
  return new SvcError('internal', `Something went wrong on our side. The log tells more under ${id}.`, {
    hint: `Look for ${id} in the log.`,
  })
}

/**
 * Writes the whole reply while the body still arrives, then reads on for a moment. Closing a connection with unread data
 * resets it, and the sender would lose the reply.
 */
async function letSenderRead(req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> {
  res.write(body)
  req.resume()
  const arrived = finished(req, {cleanup: true}).catch(() => {})
  await Promise.race([arrived, delay(LINGER_MS, undefined, {ref: false})])
}
