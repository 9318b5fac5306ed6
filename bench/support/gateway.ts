import {join} from 'node:path'
import {root} from './build.js'
import {type Child, startChild} from './child.js'
import {Connection, requestBytes} from './connection.js'

export interface Gateway extends Child {
  port: number
}

/** `svc serve` as its own process, as a user starts it. */
export async function startGateway(home: string): Promise<Gateway> {
  const args = [join(root, 'bin/run.js'), 'serve', '--port', '0', '--json']
  const child = await startChild(args, environment(home), ({event}) => event === 'ready')
  return {...child, port: Number(new URL(child.ready.url as string).port)}
}

/** Without keys, colours or another home of whoever measures. `NODE_OPTIONS` is for profiling. */
export function environment(home: string): NodeJS.ProcessEnv {
  const {PATH, HOME, LANG, TZ, NODE_OPTIONS} = process.env
  return {PATH, HOME, LANG, TZ, SVC_HOME: home, ...(NODE_OPTIONS && {NODE_OPTIONS})}
}

export interface Message {
  message: string
  session?: string
  model?: string
}

/** Somebody who sends messages over one connection that stays open. */
export class Client {
  readonly #connection: Connection
  readonly #port: number

  private constructor(connection: Connection, port: number) {
    this.#connection = connection
    this.#port = port
  }

  static async connect(port: number): Promise<Client> {
    return new Client(await Connection.open(port), port)
  }

  /** @throws Error when the turn did not complete */
  async send(message: Message): Promise<{reply: string; turnId: string; toolCalls: unknown[]}> {
    const {status, body} = await this.#connection.send(requestBytes('POST', '/message', this.#port, message))
    if (status !== 200) throw new Error(`POST /message answered ${status}: ${body}`)
    return JSON.parse(body)
  }

  close(): void {
    this.#connection.close()
  }
}
