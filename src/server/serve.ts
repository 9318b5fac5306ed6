import {once} from 'node:events'
import {createServer, type IncomingMessage, type RequestListener, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'
import {checkBinding} from './binding.js'
import {createTrust} from './client-address.js'
import {answerBrokenRequests} from './client-error.js'
import * as dashboard from './dashboard/index.js'
import * as gateway from './gateway/index.js'
import {createGuard} from './guard.js'
import {mount} from './mount.js'
import {describeHolder} from './port-holder.js'
import type {Routes} from './route.js'

/** Every endpoint of this server, by operation id. */
export const routes: Routes = {...gateway, ...dashboard}

export interface RunningServer {
  /** For people and programs on this machine. */
  url: string
  port: number
  /**
   * Takes no more requests and waits at most `drainMs` milliseconds for those that wait for a turn. The app stays open: close it after.
   */
  close(drainMs: number): Promise<void>
}

interface StartOptions {
  onReady?: (server: RunningServer) => void
}

/**
 * Listens as the configuration says.
 *
 * @throws SvcError `bad-config` the host is not ours, or open to others without protection; `conflict` the port is taken
 */
export async function startServer(app: App, {onReady}: StartOptions = {}): Promise<RunningServer> {
  checkBinding(app.config)
  const trust = createTrust(app.config.gateway.trustedProxies)
  const server = createServer({
    headersTimeout: 5000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 500,
    // The guard says in our own words what is wrong with a missing Host.
    requireHostHeader: false,
    insecureHTTPParser: false,
  })
  await listen(server, app.config.gateway)

  const {port} = server.address() as AddressInfo
  const closing = new AbortController()
  const closed = new AbortController()
  const guard = createGuard(app.config.gateway, port, trust)
  answer(server, mount(app, {routes, guard, trust, closing: closing.signal, closed: closed.signal}))

  const running = {url: `http://${localName(app.config.gateway.host)}:${port}`, port, close}
  onReady?.(running)
  return running

  async function close(drainMs: number): Promise<void> {
    const done = new Promise<void>((resolve) => server.close(() => resolve()))
    closing.abort()
    // Whoever still waits for a reply keeps the connection when it came.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const deadline = setTimeout(() => closed.abort(), drainMs)
    // A reply that was cut short still needs a moment to leave.
    const end = setTimeout(() => server.closeAllConnections(), drainMs + 250)
    await done
    clearInterval(sweep)
    clearTimeout(deadline)
    clearTimeout(end)
  }
}

async function listen(server: Server, {host, port}: App['config']['gateway']): Promise<void> {
  try {
    server.listen({host: host.replace(/^\[|\]$/g, ''), port})
    await once(server, 'listening')
  } catch (error) {
    throw await explain(error as NodeJS.ErrnoException, host, port)
  }
}

async function explain(error: NodeJS.ErrnoException, host: string, port: number): Promise<unknown> {
  if (error.code === 'EADDRINUSE') {
    return new SvcError('conflict', `Port ${port} on ${host} is taken by ${await describeHolder(localName(host), port)}.`, {
      hint: 'Stop it, or set gateway.port to another port.',
      cause: error,
    })
  }
  const why = {
    EACCES: `This user may not listen on port ${port}.`,
    EADDRNOTAVAIL: `gateway.host ${host} is no address of this machine.`,
    ENOTFOUND: `gateway.host ${host} is not a known name.`,
    EAI_AGAIN: `gateway.host ${host} cannot be looked up now.`,
  }[error.code ?? '']
  return why
    ? new SvcError('bad-config', why, {hint: 'Set gateway.host to 127.0.0.1 and gateway.port to 18790.', cause: error})
    : error
}

/** Requests that are special to Node, such as those that ask before they send their body, go the same way as all others. */
function answer(server: Server, listener: RequestListener): void {
  const inOrder = answerBrokenRequests(server)
  const handle: RequestListener = (req, res) => {
    inOrder(req, res)
    listener(req, res)
  }
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', (req: IncomingMessage, res) => {
    // Not something we can promise; without the header the request may be fine.
    delete req.headers.expect
    handle(req, res)
  })
}

/** A host to which a client on this machine can connect, as it is written in an address. */
function localName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::' || host === '[::]') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
