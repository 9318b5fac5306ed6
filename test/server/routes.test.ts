import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {z} from 'zod'
import {createTrust} from '../../src/server/client-address.js'
import {createGuard} from '../../src/server/guard.js'
import {openapi} from '../../src/server/openapi.js'
import {ok, type Routes, route} from '../../src/server/route.js'
import {routes} from '../../src/server/serve.js'
import {problemOf, type TestServer, testServer} from './support/server.js'

const folder = (name: string) => join(import.meta.dirname, '../../src/server', name)

describe('The endpoints', () => {
  for (const name of ['gateway', 'dashboard']) {
    it(`of ${name} are all in its index`, async () => {
      const files = readdirSync(folder(name)).filter((file) => file !== 'index.ts')
      const declared = new Set(Object.values(await import(join(folder(name), 'index.ts'))))
      for (const file of files) {
        const {default: endpoint} = (await import(join(folder(name), file))) as {default: unknown}
        expect(declared.has(endpoint), `${file} is missing in ${name}/index.ts`).to.equal(true)
      }
      expect(declared.size).to.equal(files.length)
    })
  }

  it('of the dashboard are all behind the token, and only the named ones are not', () => {
    const open = Object.values(routes).filter((endpoint) => endpoint.auth === 'none')
    expect(open.map(({method, path}) => `${method} ${path}`).sort()).to.deep.equal([
      'GET /health',
      'GET /status',
      'POST /cron/:id/run',
      'POST /message',
      'POST /model',
      'POST /reload',
    ])
    for (const endpoint of Object.values(routes)) {
      if (endpoint.auth !== 'none') expect(endpoint.path).to.match(/^\/api\/dashboard\//)
    }
  })

  it('have paths and methods of their own', () => {
    const keys = Object.values(routes).map(({method, path}) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(new Set(keys).size).to.equal(keys.length)
  })
})

describe('The OpenAPI document', () => {
  it('describes every endpoint, and every reference in it leads somewhere', () => {
    const document = openapi(routes, '1.2.3')
    expect(document.openapi).to.equal('3.1.0')
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as {
      operationId: string
      responses: object
      security: object[]
    }[]
    expect(operations.map(({operationId}) => operationId).sort()).to.deep.equal(Object.keys(routes).sort())
    const text = JSON.stringify(document)
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = reference.split('/').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document)
      expect(target, reference).to.be.an('object')
    }
  })

  it('has parameters, bodies, replies, streams and failures of each', () => {
    const paths = openapi(routes, '1').paths as Record<string, Record<string, Record<string, unknown>>>
    const message = paths['/message']?.post as Record<string, unknown>
    expect(message.requestBody).to.have.nested.property('content.application/json.schema.required').that.deep.equals(['message'])
    expect(message.requestBody).to.have.nested.property('content.application/json.schema.additionalProperties', false)
    expect(Object.keys(message.responses as object)).to.include.members([
      '200',
      '202',
      '400',
      '409',
      '413',
      '415',
      '422',
      '502',
      '503',
      '504',
    ])
    expect(message.responses).to.have.nested.property('200.content').with.all.keys('application/json', 'text/event-stream')
    expect(
      (message.parameters as {name: string; in: string}[]).map((parameter) => `${parameter.in} ${parameter.name}`),
    ).to.deep.equal(['header idempotency-key', 'header last-event-id'])
    const turn = paths['/api/dashboard/turns/{id}']?.get as {security: object[]; parameters: object[]; responses: object}
    expect(turn.security).to.deep.equal([{token: []}])
    expect(turn.parameters[0]).to.include({name: 'id', in: 'path', required: true})
    expect(turn.responses).to.include.keys('200', '401', '404', '429')
    const events = paths['/api/dashboard/turns/{id}/events']?.get as {responses: object}
    expect(events.responses).to.have.nested.property('200.content').with.all.keys('text/event-stream')
  })
})

describe('Routing', () => {
  let server: TestServer
  before(async () => {
    server = await testServer({script: () => 'Hello.'})
  })
  after(() => server.stop())

  it('answers 404 to unknown paths, as a problem with nothing but the agreed fields', async () => {
    for (const path of [
      '/',
      '/nope',
      '/health/x',
      '/api',
      '/api/dashboard',
      '/api/dashboard/nope',
      '/message/x',
      '/favicon.ico',
      '/cron//run',
    ]) {
      const reply = await server.get(path)
      expect(reply.status, path).to.equal(404)
      expect(reply.headers.get('content-type')).to.equal('application/problem+json')
      expect(reply.body).to.have.all.keys('type', 'title', 'status', 'detail', 'code', 'hint')
      expect(reply.body).to.include({type: 'urn:svc:problem:not-found', code: 'not-found', status: 404})
    }
  })

  it('answers 405 with Allow to other methods', async () => {
    const cases: [string, string, string][] = [
      ['POST', '/health', 'GET, HEAD'],
      ['GET', '/message', 'POST'],
      ['DELETE', '/model', 'POST'],
      ['PUT', '/api/dashboard/model', 'GET, POST, HEAD'],
      ['PATCH', '/cron/x/run', 'POST'],
      ['HEAD', '/message', 'POST'],
    ]
    for (const [method, path, allow] of cases) {
      const reply = await server.request(method, path)
      expect(reply.status, `${method} ${path}`).to.equal(405)
      expect(reply.headers.get('allow')).to.equal(allow)
      if (method !== 'HEAD') expect(problemOf(reply).code).to.equal('method-not-allowed')
    }
    for (const method of ['TRACE', 'PROPFIND', 'QUERY']) {
      const reply = await server.raw(`${method} /health HTTP/1.1\r\nHost: $HOST\r\n\r\n`)
      expect([reply.status, reply.headers.allow], method).to.deep.equal([405, 'GET, HEAD'])
    }
  })

  it('answers HEAD as GET, without the body', async () => {
    const [head, get] = await Promise.all([
      server.raw('HEAD /status HTTP/1.1\r\nHost: $HOST\r\nConnection: close\r\n\r\n'),
      server.get('/status'),
    ])
    expect([head.status, head.body]).to.deep.equal([200, ''])
    expect(head.headers['content-type']).to.equal(get.headers.get('content-type'))
    expect(Number(head.headers['content-length'])).to.be.greaterThan(100)
  })

  it('guards every reply with the same headers', async () => {
    const replies = await Promise.all([
      server.get('/health'),
      server.get('/nope'),
      server.post('/message', {message: 'hi'}),
      server.get('/health', {origin: 'http://evil.test'}),
      server.request('OPTIONS', '/health'),
    ])
    for (const {headers} of replies) {
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('referrer-policy')).to.equal('no-referrer')
      expect(headers.get('content-security-policy')).to.equal("default-src 'none'; frame-ancestors 'none'")
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).to.deep.equal([])
      expect(headers.get('x-powered-by')).to.equal(null)
    }
  })

  it('names unknown query parameters, and takes each once', async () => {
    const turns = '/api/dashboard/turns'
    expect(problemOf(await server.get(`${turns}?lmit=5`)).errors).to.deep.equal([{path: ['lmit'], message: 'unknown key'}])
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1&limit=2',
      'limit=',
      'cursor=',
      'cursor=x',
      'status=done',
      'session=a%20b',
      '__proto__=1',
      'limit=1e9',
      'limit=-1',
      'limit=1.5',
    ]) {
      const reply = await server.get(`${turns}?${query}`)
      expect(reply.status, query).to.equal(400)
      expect(problemOf(reply).code).to.equal('invalid-input')
    }
  })
})

describe('mount', () => {
  const answers = (path: `/${string}`, name: string) =>
    route({
      method: 'GET',
      path,
      summary: name,
      auth: 'none',
      replies: {200: z.object({name: z.string()})},
      handle: async () => ok({name}),
    })

  it('prefers static segments, whatever the order of declaration', async () => {
    const declared: Routes = {
      one: answers('/things/:id', 'parameter'),
      two: answers('/things/:id/runs', 'runs of one'),
      three: answers('/things/new', 'static'),
      four: answers('/things/runs/:runId', 'one run'),
    }
    const get = await serveOnly(declared)
    expect(await get('/things/x')).to.deep.equal([200, {name: 'parameter'}])
    expect(await get('/things/new')).to.deep.equal([200, {name: 'static'}])
    expect(await get('/things/x/runs')).to.deep.equal([200, {name: 'runs of one'}])
    expect(await get('/things/runs/x')).to.deep.equal([200, {name: 'one run'}])
  })

  it('asks for the token unless the declaration says otherwise', async () => {
    const {auth: _open, ...closed} = answers('/closed', 'closed')
    const get = await serveOnly({closed}, {dashboard: {token: 'a-token-of-its-own'}})
    expect((await get('/closed'))[0]).to.equal(401)
  })

  it('hides what an unexpected failure says, and logs it under an id', async () => {
    const handle = async () => {
      throw new Error('the password is hunter2')
    }
    const nothing = async () => Promise.reject(undefined)
    const wrong = async () => ok({name: 5 as unknown as string})
    const bare = answers('/bug', 'bug')
    const get = await serveOnly({
      bug: {...bare, handle},
      nothing: {...bare, path: '/nothing', handle: nothing},
      wrong: {...bare, path: '/wrong', handle: wrong},
    })
    for (const path of ['/bug', '/nothing', '/wrong']) {
      const [status, body] = await get(path)
      expect(status).to.equal(500)
      expect(body).to.have.all.keys('type', 'title', 'status', 'detail', 'code', 'hint')
      expect(JSON.stringify(body)).not.to.contain('hunter2')
      const id = /under ([0-9a-f]{12})\./.exec((body as {detail: string}).detail)?.[1]
      expect(id).to.be.a('string')
      expect(logged.find(({fields}) => fields.id === id)?.fields).to.include({path})
    }
  })

  const stops: (() => Promise<void>)[] = []
  const logged: {message: string; fields: Record<string, unknown>}[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  /** A server with these endpoints alone. */
  async function serveOnly(only: Routes, config: object = {}) {
    const {createServer} = await import('node:http')
    const {mount} = await import('../../src/server/mount.js')
    const {testApp} = await import('../support/app.js')
    const app = await testApp({config})
    Object.assign(app, {
      log: {...app.log, error: (message: string, fields: Record<string, unknown>) => logged.push({message, fields})},
    })
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const {port} = server.address() as {port: number}
    const trust = createTrust([])
    const never = new AbortController().signal
    server.on(
      'request',
      mount(app, {routes: only, guard: createGuard(app.config.gateway, port, trust), trust, closing: never, closed: never}),
    )
    stops.push(async () => {
      server.closeAllConnections()
      server.close()
      await app.close(0)
    })
    return async (path: string): Promise<[number, unknown]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      return [response.status, await response.json()]
    }
  }
})
