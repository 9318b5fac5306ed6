import type {IncomingMessage, Server, ServerResponse} from 'node:http'
import type {Duplex} from 'node:stream'
import {SvcError} from '../core/errors.js'
import {rawProblem} from './problem.js'

/**
 * Answers what Node's parser refuses, and CONNECT, in the same form as every other failure.
 *
 * @returns to be called with every request that did parse, so that no answer comes between the parts of another
 */
export function answerBrokenRequests(server: Server): (req: IncomingMessage, res: ServerResponse) => void {
  const latest = new WeakMap<Duplex, {req: IncomingMessage; res: ServerResponse}>()

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET' || !isOurTurn(latest.get(socket))) socket.destroy()
    else socket.end(explain(error.code))
  })
  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(
      rawProblem(new SvcError('forbidden-origin', 'This server is no proxy.', {hint: 'Send the request to its own server.'})),
    )
  })
  return (req, res) => latest.set(req.socket, {req, res})
}

/** Either nothing else is being answered, or it is the rest of this very request that is broken. */
function isOurTurn(latest: {req: IncomingMessage; res: ServerResponse} | undefined): boolean {
  if (!latest) return true
  const {req, res} = latest
  return req.complete ? res.writableFinished : !res.headersSent
}

function explain(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return rawProblem(
        new SvcError('invalid-input', 'The headers are larger than 16 KiB.', {hint: 'Send fewer or shorter headers.'}),
        431,
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return rawProblem(new SvcError('invalid-input', 'The request did not arrive in time.', {hint: 'Send it again.'}), 408)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return rawProblem(
        new SvcError('too-large', 'The chunk extensions are too long.', {hint: 'Send chunks without extensions.'}),
      )
    default:
      return rawProblem(new SvcError('invalid-input', 'This is not a valid HTTP/1.1 request.', {hint: 'Use an HTTP client.'}))
  }
}
