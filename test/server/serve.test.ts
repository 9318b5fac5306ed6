import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {createServer} from 'node:net'
import {expect} from 'chai'
import type {SvcError} from '../../src/core/errors.js'
import {startServer} from '../../src/server/serve.js'
import {testApp} from '../support/app.js'
import {parseEvents} from './support/events.js'
import {type TestServer, testServer} from './support/server.js'

describe('startServer', () => {
  const servers: TestServer[] = []
  const start = async (options: Parameters<typeof testServer>[0] = {}) => {
    const server = await testServer(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })
  const failureOf = (config: object): Promise<SvcError> =>
    testServer({config}).then(
      async (server) => {
        await server.stop()
        throw new Error('It started.')
      },
      (error) => error as SvcError,
    )

  it('tells its address before it resolves', async () => {
    const app = await testApp({kind: 'serve', config: {gateway: {port: 0}}})
    const told: string[] = []
    const running = await startServer(app, {onReady: ({url}) => told.push(url)})
    expect(told).to.deep.equal([`http://127.0.0.1:${running.port}`])
    await running.close(0)
    await app.close(0)
  })

  it('listens on IPv6 loopback too', async () => {
    const app = await testApp({kind: 'serve', config: {gateway: {port: 0, host: '::1'}}})
    const running = await startServer(app)
    expect(running.url).to.equal(`http://[::1]:${running.port}`)
    expect((await fetch(`${running.url}/health`)).status).to.equal(200)
    await running.close(0)
    await app.close(0)
  })

  it('names another gateway that holds the port', async () => {
    const {port} = await start()
    const error = await failureOf({gateway: {port}})
    expect(error.code).to.equal('conflict')
    expect(error.message).to.match(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken by another svc gateway`))
    if (process.platform === 'linux') expect(error.message).to.contain(`pid ${process.pid}`)
    expect(error.hint).to.contain('gateway.port')
  })

  it('names another program that holds the port', async () => {
    const script =
      "require('node:net').createServer(s=>s.on('error',()=>{})).listen(0,'127.0.0.1',function(){console.log(this.address().port)})"
    const child = spawn(process.execPath, ['-e', script], {stdio: ['ignore', 'pipe', 'inherit']})
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const port = Number(String(line))
    const error = await failureOf({gateway: {port}})
    child.kill()
    expect(error.code).to.equal('conflict')
    expect(error.message).to.contain('another program')
    if (process.platform === 'linux') expect(error.message).to.contain(`pid ${child.pid}`)
  })

  it('refuses hosts that are not ours, and unsafe ones before it listens', async () => {
    const remote = {allowRemote: true}
    const token = {token: 'long-enough-and-random-9'}
    expect((await failureOf({gateway: {...remote, host: '192.0.2.1'}, dashboard: token})).code).to.equal('bad-config')
    expect((await failureOf({gateway: {host: '0.0.0.0'}})).code).to.equal('bad-config')
    expect((await failureOf({dashboard: {token: 'changeme'}})).code).to.equal('bad-config')
    for (const proxy of ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0/8']) {
      const error = await failureOf({gateway: {trustedProxies: ['127.0.0.1', proxy]}})
      expect(error.issues?.[0]?.path, proxy).to.deep.equal(['gateway', 'trustedProxies', 1])
    }
  })

  it('frees the port when it is closed', async () => {
    const {port, stop} = await testServer()
    await stop()
    const holder = createServer().listen(port, '127.0.0.1')
    await once(holder, 'listening')
    holder.close()
  })

  describe('closing', () => {
    const open = (server: TestServer, path: string, init?: RequestInit) =>
      server.fetch(path, {
        headers: {'content-type': 'application/json', accept: 'text/event-stream', 'idempotency-key': 'k'},
        ...init,
      })

    it('waits for messages under way, takes no new ones and ends what only reads', async () => {
      const hold = Promise.withResolvers<void>()
      const server = await start({script: [{until: hold.promise, text: 'in time'}]})
      const message = open(server, '/message', {method: 'POST', body: '{"message":"hi"}'})
      await message
      const {items} = (await server.get('/api/dashboard/turns')).body as {items: {id: string}[]}
      const reader = await open(server, `/api/dashboard/turns/${items[0]?.id}/events`)
      const closed = server.close(5000)
      expect(await reader.text()).not.to.contain('turn.completed')
      expect(await server.fetch('/health').catch(() => 'refused')).to.equal('refused')
      hold.resolve()
      expect(parseEvents(await (await message).text()).at(-1)?.event).to.equal('turn.completed')
      await closed
    })

    it('says so to those it cannot wait for, and their turn goes on after the next start', async () => {
      const server = await start({script: [{until: new Promise(() => {}), text: 'never'}]})
      const message = server.post('/message', {message: 'hi'}, {'idempotency-key': 'k'})
      while (((await server.get('/status')).body.turns as {running: number}).running === 0);
      await server.close(100)
      expect((await message).status).to.equal(503)
      expect((await message).headers.get('retry-after')).to.be.a('string')
      await server.app.close(0)
      servers.length = 0
      const restarted = await start({home: server.app.home, script: ['after all']})
      await restarted.app.engine.recover()
      const again = await restarted.post('/message', {message: 'hi'}, {'idempotency-key': 'k'})
      expect(again.body).to.include({reply: 'after all'})
    })

    it('does not wait for idle connections', async () => {
      const server = await start()
      await server.get('/health')
      const started = performance.now()
      await server.close(5000)
      expect(performance.now() - started).to.be.lessThan(2500)
    })
  })
})
