import {once} from 'node:events'
import {connect, type Socket} from 'node:net'

export interface Response {
  status: number
  body: string
}

const MOST_SILENCE_MS = 60_000

/**
 * One HTTP/1.1 connection that stays open, with as little work per request as possible: what is measured is the server. Knows
 * only bodies with a Content-Length.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: PromiseWithResolvers<Response> | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.setTimeout(MOST_SILENCE_MS, () => socket.destroy())
    socket.on('close', () => this.#waiting?.reject(new Error('The server closed the connection, or sent nothing for a minute.')))
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect({host: '127.0.0.1', port})
    await once(socket, 'connect')
    return new Connection(socket)
  }

  async send(request: Buffer): Promise<Response> {
    // An idle connection is closed by the server after a few seconds.
    if (this.#socket.destroyed) throw new Error('The server closed the connection.')
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request)
    return this.#waiting.promise
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const head = this.#received.toString('latin1', 0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    const end = headEnd + 4 + length
    if (this.#received.length < end) return
    const body = this.#received.toString('utf8', headEnd + 4, end)
    this.#received = this.#received.subarray(end)
    this.#waiting?.resolve({status: Number(head.slice(9, 12)), body})
  }
}

export function requestBytes(method: 'GET' | 'POST', path: string, port: number, body?: object): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  if (!body) return Buffer.from(`${head}\r\n`)
  const json = JSON.stringify(body)
  return Buffer.from(`${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
}
