import type {IncomingMessage, ServerResponse} from 'node:http'
import type {App} from '../core/app.js'
import type {Context, Routes} from './route.js'

/** One request as its handler sees it. The parts that its route declares are set once they are validated. */
export class RequestContext implements Context {
  params: unknown = undefined
  query: unknown = undefined
  headers: unknown = undefined
  body: unknown = undefined
  readonly app: App
  readonly routes: Routes
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly #server: {closing: AbortSignal; closed: AbortSignal}
  #stop: AbortController | undefined

  /** @param server when it closes, as in `MountOptions` */
  constructor(
    app: App,
    req: IncomingMessage,
    res: ServerResponse,
    server: {routes: Routes; closing: AbortSignal; closed: AbortSignal},
  ) {
    this.app = app
    this.routes = server.routes
    this.req = req
    this.res = res
    this.#server = server
  }

  /** Made when it is first asked for: most handlers do not, and it costs as much as answering `/health`. */
  get signal(): AbortSignal {
    this.#stop ??= this.#stopAtTheEnd()
    return this.#stop.signal
  }

  /** Aborts the signal. */
  cut(): void {
    this.#stop?.abort()
  }

  get wantsEvents(): boolean {
    const ranges = (this.req.headers.accept ?? '').toLowerCase().split(',')
    return ranges.some((range) => /^\s*text\/event-stream\s*(?:;|$)/.test(range) && !/;\s*q=0(?:\.0*)?\s*$/.test(range))
  }

  #stopAtTheEnd(): AbortController {
    const stop = new AbortController()
    const abort = () => stop.abort()
    const readsOnly = this.req.method === 'GET' || this.req.method === 'HEAD'
    const end = readsOnly ? this.#server.closing : this.#server.closed
    if (end.aborted || this.res.destroyed) abort()
    end.addEventListener('abort', abort)
    this.res.once('close', () => {
      end.removeEventListener('abort', abort)
      abort()
    })
    return stop
  }
}
