import type {IncomingMessage, RequestListener, ServerResponse} from 'node:http'
import polka, {type Request as PolkaRequest} from 'polka'
import type {z} from 'zod'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'
import {authenticate, type Pass} from './auth.js'
import {hasBody, readBody} from './body.js'
import type {Trust} from './client-address.js'
import type {Guard} from './guard.js'
import {sendProblem} from './problem.js'
import {RequestContext} from './request-context.js'
import type {Answer, AnyRoute, Replies, Routes} from './route.js'
import {secured} from './secured.js'
import {sendEvents} from './sse.js'
import {validate} from './validate.js'

export interface MountOptions {
  routes: Routes
  guard: Guard
  trust: Trust
  /** Aborts when the server begins to close: what only reads ends at once. */
  closing: AbortSignal
  /** Aborts when it must have closed: what waits for a turn ends too. The turn goes on after the next start. */
  closed: AbortSignal
}

type PathParts = Pick<PolkaRequest, 'params' | 'query'>

const PROTECTED = /^\/api\/dashboard(?:\/|$)/i
/** How often the token of an open stream is looked at again. */
const RECHECK_MS = 1000

/** The listener of the server's requests: guard, then route, then login, then validation, then handler. */
export function mount(app: App, options: MountOptions): RequestListener {
  const router = polka({onNoMatch: (req, res) => refuseUnknown(req, res)})
  // Most requests name a path without parameters; finding it here costs a tenth of the router's walk over all patterns.
  const fixed = new Map<string, AnyRoute>()
  for (const route of staticFirst(Object.values(options.routes))) {
    if (!route.path.includes(':')) fixed.set(`${route.method} ${route.path}`, route)
    router.add(route.method as 'GET', route.path, (req, res) => serve(route, req, res, req))
  }

  return (req, res) => {
    try {
      options.guard(req)
    } catch (error) {
      void sendProblem({req, res, log: app.log}, error)
      return
    }
    const route = fixed.get(`${req.method} ${req.url}`)
    if (route) void serve(route, req, res, {params: {}, query: {}})
    else router.handler(req as PolkaRequest, res, undefined as never)
  }

  async function serve(route: AnyRoute, req: IncomingMessage, res: ServerResponse, {params, query}: PathParts): Promise<void> {
    try {
      const pass = route.auth === 'none' ? undefined : await authenticate(app, req, options.trust)
      const request = new RequestContext(app, req, res, options)
      if (route.params) request.params = validate('path', route.params, params)
      if (route.query) request.query = validate('query', route.query, query)
      if (route.headers) request.headers = validate('headers', route.headers, req.headers)
      if (route.body || hasBody(req)) request.body = await readDeclaredBody(route, req, res)
      const answer: Answer<Replies, z.ZodType> = await route.handle(request)
      if ('stream' in answer) await sendStream(answer.stream, request, pass)
      else sendJson(res, answer.status, route.replies[answer.status].parse(answer.body), answer.headers)
    } catch (error) {
      await fail(req, res, error)
    }
  }

  async function refuseUnknown(req: PolkaRequest, res: ServerResponse): Promise<void> {
    try {
      // Who has no token does not learn either which paths exist.
      if (PROTECTED.test(req.path)) await authenticate(app, req, options.trust)
      const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
      const allowed: string[] = methods.filter((method) => router.find(method, req.path).handlers.length > 0)
      if (allowed.length === 0) {
        const hint = 'GET /api/dashboard/openapi.json lists what there is.'
        throw new SvcError('not-found', `There is nothing at ${req.path}.`, {hint})
      }
      if (allowed.includes('GET')) allowed.push('HEAD')
      const hint = `Use ${allowed.join(' or ')}.`
      const error = new SvcError('method-not-allowed', `${req.method} does not go with ${req.path}.`, {hint})
      await sendProblem({req, res, log: app.log}, error, {allow: allowed.join(', ')})
    } catch (error) {
      await fail(req, res, error)
    }
  }

  async function fail(req: IncomingMessage, res: ServerResponse, error: unknown): Promise<void> {
    // A client that went away mid-request is not a failure of ours, and reads no reply.
    if (req.socket.destroyed) return
    const cutShort = options.closed.aborted && !(error instanceof SvcError)
    await sendProblem({req, res, log: app.log}, cutShort ? shuttingDown(error) : error)
  }
}

/** `/turns/new` must not be taken for the turn named `new`. */
function staticFirst(routes: AnyRoute[]): AnyRoute[] {
  const order = ({path}: AnyRoute) => path.replaceAll('/:', '/~')
  return routes.toSorted((left, right) => (order(left) < order(right) ? -1 : 1))
}

async function readDeclaredBody(route: AnyRoute, req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  const body = await readBody(req, res)
  if (route.body) {
    if (body !== undefined) return validate('body', route.body, body)
    throw new SvcError('invalid-input', 'The request has no body.', {
      hint: 'Send a JSON object with Content-Type: application/json.',
      issues: [{path: [], message: 'missing'}],
    })
  }
  if (body === undefined || JSON.stringify(body) === '{}') return undefined
  throw new SvcError('invalid-input', 'This endpoint takes no body.', {
    hint: 'Send none.',
    issues: [{path: [], message: 'not expected'}],
  })
}

function sendJson(res: ServerResponse, status: number, value: unknown, headers?: Record<string, string>): void {
  // As a string it leaves in one write together with the headers; a buffer takes a second one, at a third of the throughput.
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  res.writeHead(status, Object.assign(secured('application/json; charset=utf-8', length), headers)).end(body)
}

async function sendStream(
  events: Parameters<typeof sendEvents>[1],
  request: RequestContext,
  pass: Pass | undefined,
): Promise<void> {
  const {req, res, signal} = request
  if (req.method === 'HEAD') {
    res.writeHead(200, secured('text/event-stream; charset=utf-8')).end()
    return
  }
  const recheck = pass && setInterval(() => pass() || request.cut(), RECHECK_MS)
  try {
    await sendEvents(res, events, {signal})
  } finally {
    clearInterval(recheck)
  }
}

function shuttingDown(cause: unknown): SvcError {
  return new SvcError('busy', 'The server is closing; the message is kept and goes on after its next start.', {
    hint: 'Send it again with the same Idempotency-Key to get the reply.',
    retryAfter: 5,
    cause,
  })
}
