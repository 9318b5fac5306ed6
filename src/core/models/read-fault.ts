import {JsonReply, WebPageReply} from './provider-fetch.js'

/** What an error tells, whatever layer it comes from. */
export interface FaultReport {
  kind: 'answer' | 'network' | 'timeout' | 'web-page' | 'unreadable'
  /** HTTP status, or the one that an error inside a stream stands for; 0 when unknown. */
  status: number
  /** The provider's words, for people. */
  message: string
  /** Message, code and type together, for matching. */
  words: string
  /** The body was a JSON error as APIs send them. */
  structured: boolean
  /** A network fault that repeats itself: a bad certificate, a redirect. */
  lasting: boolean
  retryAfterMs: number | undefined
}

type Fields = Record<string, unknown>

const unreachable =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_SOCKET|UND_ERR_CLOSED)$/
const tooSlow = /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/
const insecure = /^(CERT_|DEPTH_ZERO_|ERR_TLS_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_|HOSTNAME_)/

/** Takes apart what the AI SDK, fetch or the stream itself threw. The SDK's classes are told by name, so that nothing is imported. */
export function readFault(error: unknown): FaultReport {
  const chain = causes(error)
  if (chain.some((link) => link instanceof WebPageReply)) return report({kind: 'web-page', status: 200})

  const json = chain.find((link) => link instanceof JsonReply)
  if (json)
    return errorObject(parse(json.responseBody)) ? readAnswer({...json}) : report({kind: 'unreadable', message: json.message})

  const answer = chain.find((link) => isFields(link) && statusOf(link) > 0 && statusOf(link) !== 200)
  if (isFields(answer)) return readAnswer(answer)

  const network = readNetwork(chain)
  if (network) return network

  const unreadable = chain.find((link) =>
    /JSONParse|TypeValidation|InvalidResponseData|InvalidStreamPart|SyntaxError/.test(nameOf(link)),
  )
  if (unreadable) return report({kind: 'unreadable', status: 200, message: firstLine(unreadable)})

  const said = chain.find(isFields)
  return said ? readAnswer(said) : report({message: typeof error === 'string' ? error : ''})
}

function readNetwork(chain: unknown[]): FaultReport | undefined {
  const codes = chain.map((link) => (isFields(link) && typeof link.code === 'string' ? link.code : ''))
  const message = chain.map(messageOf).findLast((text) => text !== '') ?? ''
  const code = codes.find((candidate) => unreachable.test(candidate) || insecure.test(candidate))
  if (codes.some((candidate) => tooSlow.test(candidate))) return report({kind: 'timeout', message})
  if (code) return report({kind: 'network', message: message || code, lasting: insecure.test(code)})
  const redirected = chain.some((link) => messageOf(link) === 'unexpected redirect')
  const broken = chain.some((link) =>
    /^(terminated|fetch failed|other side closed|socket hang up|unexpected redirect)$/.test(messageOf(link)),
  )
  return broken ? report({kind: 'network', message, lasting: redirected}) : undefined
}

function readAnswer(error: Fields): FaultReport {
  const headers = isFields(error.responseHeaders) ? error.responseHeaders : {}
  const body = typeof error.responseBody === 'string' ? error.responseBody : ''
  const status = statusOf(error)
  const retryAfterMs = readRetryAfter(headers)
  if (/^\s*<(!doctype|html|head|body)/i.test(body) || /text\/html/i.test(String(headers['content-type'] ?? ''))) {
    return report({kind: 'web-page', status, retryAfterMs})
  }
  const detail = errorObject(parse(body)) ?? errorObject(error.data) ?? error
  const type = text(detail.type) || text(error.type)
  const code = text(detail.code) || text(error.code)
  const message = text(detail.message) || messageOf(error)
  return report({
    status: status || impliedStatus(`${type} ${code}`),
    message,
    words: `${message} ${type} ${code} ${detail === error ? body.slice(0, 2000) : ''}`,
    structured: detail !== error,
    retryAfterMs,
  })
}

/** The error in an API's body: `{error: {…}}`, `{error: "…"}` (Ollama), `{response: {error}}`, `{message}`, `{detail}`. */
function errorObject(body: unknown): Fields | undefined {
  if (!isFields(body)) return undefined
  const inner = isFields(body.response) ? body.response.error : body.error
  if (isFields(inner)) return inner
  if (typeof inner === 'string') return {...body, message: inner}
  if (typeof body.message === 'string') return body
  return typeof body.detail === 'string' ? {...body, message: body.detail} : undefined
}

/** What an error that arrives inside a stream stands for, by the words that the providers' references use. */
const impliedStatuses: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_limit|tokens_exceeded|too_many_requests/, 429],
  [/authentication|invalid_api_key|unauthorized/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/overloaded/, 529],
  [/timeout/, 504],
  [/api_error|server_error|internal/, 500],
  [/invalid_request|invalid_prompt|bad_request/, 400],
]

/** @param words type and code of the error; some put the status itself there */
function impliedStatus(words: string): number {
  const number = Number(/\b[45]\d\d\b/.exec(words)?.[0] ?? 0)
  return number || (impliedStatuses.find(([pattern]) => pattern.test(words))?.[1] ?? 0)
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; undefined when absent or nonsense. */
function readRetryAfter(headers: Fields): number | undefined {
  const ms = Number.parseFloat(text(headers['retry-after-ms']))
  if (ms >= 0) return ms
  const after = text(headers['retry-after'])
  const seconds = /^[\d.]+$/.test(after) ? Number.parseFloat(after) : (Date.parse(after) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.round(seconds * 1000)) : undefined
}

/** The error, what it wraps, and so on, outermost first. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  let link = error
  while (link !== undefined && link !== null && chain.length < 8 && !chain.includes(link)) {
    chain.push(link)
    link = isFields(link) ? (link.lastError ?? link.cause) : undefined
  }
  return chain
}

function statusOf(error: Fields): number {
  const status = error.statusCode ?? error.status
  return typeof status === 'number' && status >= 100 && status < 600 ? status : 0
}

function report(known: Partial<FaultReport>): FaultReport {
  const {message = ''} = known
  return {
    kind: 'answer',
    status: 0,
    words: message,
    structured: false,
    lasting: false,
    retryAfterMs: undefined,
    ...known,
    message,
  }
}

function parse(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    // Google's compatible endpoint wraps its error in a list.
    return Array.isArray(value) ? value[0] : value
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function nameOf(error: unknown): string {
  return isFields(error) ? text(error.name) : ''
}

function messageOf(error: unknown): string {
  return isFields(error) ? text(error.message) : ''
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? ''
}
