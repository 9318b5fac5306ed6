import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {Problem} from '../../../src/server/problem.js'
import {type RunningServer, startServer} from '../../../src/server/serve.js'
import {type TestApp, testApp} from '../../support/app.js'
import {tempFolder} from '../../support/temp.js'
import {type RawReply, rawRequest} from './raw.js'

type Json = Record<string, unknown>

type Options = Omit<NonNullable<Parameters<typeof testApp>[0]>, 'config'> & {
  config?: {gateway?: object; dashboard?: object} & object
}

export interface Reply<Body = Json> {
  status: number
  headers: Headers
  body: Body
}

export interface TestServer extends RunningServer {
  app: TestApp
  /** `127.0.0.1:PORT` */
  authority: string
  request(method: string, path: string, options?: {body?: unknown; headers?: Record<string, string>}): Promise<Reply>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Exactly these bytes, `$HOST` replaced by our authority. */
  raw(request: string | Buffer): Promise<RawReply>
  stop(): Promise<void>
}

/** The real server over the real app with a temporary home and a free port; only the model follows a script. Stop it. */
export async function testServer({config = {}, ...options}: Options = {}): Promise<TestServer> {
  const home = options.home ?? (await tempFolder())
  const app = await testApp({...options, home, kind: 'serve', config: {...config, gateway: {port: 0, ...config.gateway}}})
  const running = await startServer(app).catch(async (error) => {
    await app.close(0)
    throw error
  })
  const authority = `127.0.0.1:${running.port}`
  const fetchHere = (path: string, init?: RequestInit) => fetch(`http://${authority}${path}`, init)
  const request: TestServer['request'] = async (method, path, {body, headers} = {}) => {
    const response = await fetchHere(path, {
      method,
      headers: {...(body !== undefined && {'content-type': 'application/json'}), ...headers},
      ...(body !== undefined && {body: JSON.stringify(body)}),
    })
    const text = await response.text()
    return {status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json)}
  }
  return {
    ...running,
    app,
    authority,
    request,
    fetch: fetchHere,
    get: (path, headers = {}) => request('GET', path, {headers}),
    post: (path, body, headers = {}) => request('POST', path, {body, headers}),
    raw: (bytes) => rawRequest(running.port, typeof bytes === 'string' ? bytes.replaceAll('$HOST', authority) : bytes),
    async stop() {
      await running.close(0)
      await app.close(0)
    },
  }
}

/** The problem in a reply, which must be one. */
export function problemOf(reply: {status: number; body: unknown}): Problem {
  const problem = reply.body as Problem
  if (problem.status !== reply.status) throw new Error(`Not a problem: ${JSON.stringify(reply.body)}`)
  return problem
}

export async function writeConfig(home: string, config: object): Promise<void> {
  await writeFile(join(home, 'config.json'), JSON.stringify(config))
}
