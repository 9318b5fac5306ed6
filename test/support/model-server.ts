import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {setTimeout as sleep} from 'node:timers/promises'
import {framesOf, type Protocol, type Said} from './model-frames.js'

export {errorFrame, framesOf, type Protocol, type Said, type SaidCall} from './model-frames.js'

/** One request as it arrived. */
export interface ModelRequest {
  protocol: Protocol
  path: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the provider was sent
  body: any
  /** Settles when the client is gone or has got everything. */
  closed: Promise<void>
}

/** What happens after so many of the reply's events (0: after the headers, before the first). */
export type Fault =
  /** The TCP connection is closed in the middle of the body. */
  | {after: number; kind: 'cut'}
  /** The body ends properly, too early. */
  | {after: number; kind: 'end'}
  /** Nothing more comes; the connection stays open. */
  | {after: number; kind: 'stall'}
  /** These events come instead of the rest. */
  | {after: number; kind: 'send'; frames: string[]}

export type Reply =
  /** A streamed reply in the protocol of the request. `pauseMs` lies between two events. */
  | {say: Said; fault?: Fault; delayMs?: number; pauseMs?: number}
  /** An answer that is no stream: an object is sent as JSON. */
  | {status: number; headers?: Record<string, string>; body: string | object}
  /** The request is taken and nothing is ever answered, not even headers. */
  | {silence: true}
  /** The connection is closed before anything is answered. */
  | {hangUp: true}

/** Replies in order, the last one for good; or a function of the request and its number, from 0. */
export type Script = Reply[] | ((request: ModelRequest, index: number) => Reply | Promise<Reply>)

export interface ModelServer {
  /** `http://127.0.0.1:PORT`. */
  origin: string
  /** What goes into `models.providers.<name>.baseURL`, for every kind. */
  baseURL: string
  requests: ModelRequest[]
  /** Replaces the script; its numbers begin at 0 again. */
  play(script: Script): void
  close(): Promise<void>
}

const paths: readonly (readonly [RegExp, Protocol])[] = [
  [/\/responses$/, 'openai'],
  [/\/chat\/completions$/, 'openai-compatible'],
  [/\/messages$/, 'anthropic'],
]

/**
 * A model provider on a real socket. The path of a request decides in which protocol it is answered; with `protocol`, requests
 * in another one are answered 404.
 */
export async function startModelServer({protocol, script}: {protocol?: Protocol; script: Script}): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  let current = script
  let index = 0

  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming, response)
    if (!request || (protocol && request.protocol !== protocol)) {
      send(response, 404, {error: {message: `Invalid URL (${incoming.method} ${incoming.url})`, type: 'invalid_request_error'}})
      return
    }
    requests.push(request)
    const number = index++
    const reply = typeof current === 'function' ? await current(request, number) : current[Math.min(number, current.length - 1)]
    if (!reply) throw new Error('The script has no reply.')
    await answer(reply, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin,
    baseURL: `${origin}/v1`,
    requests,
    play(next) {
      current = next
      index = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<ModelRequest | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const path = incoming.url ?? ''
  const protocol = paths.find(([pattern]) => pattern.test(path))?.[1]
  if (!protocol) return undefined
  const closed = new Promise<void>((resolve) => response.on('close', resolve))
  return {protocol, path, headers: incoming.headers, body: JSON.parse(Buffer.concat(chunks).toString()), closed}
}

async function answer(reply: Reply, request: ModelRequest, response: ServerResponse): Promise<void> {
  if ('silence' in reply) return
  if ('hangUp' in reply) {
    response.socket?.destroy()
    return
  }
  if ('status' in reply) {
    send(response, reply.status, reply.body, reply.headers)
    return
  }

  const {say, fault, delayMs = 0, pauseMs = 0} = reply
  if (delayMs > 0) await sleep(delayMs)
  response.writeHead(200, {'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache'})
  response.flushHeaders()
  const frames = framesOf(request.protocol, say, request.body.model)
  const sent = fault ? frames.slice(0, fault.after) : frames
  for (const frame of fault?.kind === 'send' ? [...sent, ...fault.frames] : sent) {
    if (response.destroyed) return
    response.write(frame)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  if (fault?.kind === 'stall') return
  // Ending the socket, not the response: what was written arrives, the body's end does not.
  if (fault?.kind === 'cut') response.socket?.end()
  else response.end()
}

function send(response: ServerResponse, status: number, body: string | object, headers: Record<string, string> = {}): void {
  const type = typeof body === 'object' ? 'application/json' : 'text/plain'
  response.writeHead(status, {'content-type': type, ...headers})
  response.end(typeof body === 'object' ? JSON.stringify(body) : body)
}
