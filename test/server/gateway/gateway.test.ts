import {rename, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {SvcError} from '../../../src/core/errors.js'
import {problemOf, type TestServer, testServer, writeConfig} from '../support/server.js'

describe('The gateway', () => {
  const servers: TestServer[] = []
  const start = async (options: Parameters<typeof testServer>[0] = {}) => {
    const server = await testServer(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })

  describe('GET /health', () => {
    it('says ok and for how long', async () => {
      const server = await start()
      const first = await server.get('/health')
      expect(first.status).to.equal(200)
      expect(first.body).to.have.all.keys('status', 'uptime')
      expect(first.body.status).to.equal('ok')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect((await server.get('/health')).body.uptime).to.be.greaterThan(first.body.uptime as number)
    })

    it('probes the store at most once for many requests', async () => {
      const server = await start()
      let probes = 0
      const probe = server.app.store.probe
      server.app.store.probe = async () => {
        probes += 1
        return probe.call(server.app.store)
      }
      await Promise.all(Array.from({length: 50}, () => server.get('/health')))
      await Promise.all(Array.from({length: 50}, () => server.get('/health')))
      expect(probes).to.equal(1)
    })

    it('says degraded while the store cannot be written, and ok again after', async function () {
      this.timeout(15_000)
      const server = await start()
      let broken = true
      const probe = server.app.store.probe
      server.app.store.probe = async () => {
        if (broken) throw new SvcError('storage-unavailable', 'The disk is full.')
        return probe.call(server.app.store)
      }
      const degraded = await server.get('/health')
      expect(degraded.status).to.equal(503)
      expect(degraded.body).to.include({status: 'degraded', reason: 'The disk is full.'})
      expect(degraded.body.uptime).to.be.a('number')
      broken = false
      while ((await server.get('/health')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
    })

    it('answers though the probe hangs', async () => {
      const server = await start()
      server.app.store.probe = () => new Promise(() => {})
      expect((await server.get('/health')).status).to.equal(200)
    })
  })

  describe('GET /status', () => {
    it('tells agent, model, jobs, last message and load', async () => {
      const server = await start({script: () => 'Hello there.'})
      const before = await server.get('/status')
      expect(before.status).to.equal(200)
      expect(before.body).to.have.all.keys(
        'status',
        'version',
        'uptime',
        'startedAt',
        'agent',
        'model',
        'cronJobs',
        'lastMessage',
        'turns',
      )
      expect(before.body).to.deep.include({
        status: 'ok',
        model: {id: 'test/model', alias: null, provider: 'test'},
        cronJobs: [],
        lastMessage: null,
        turns: {running: 0, queued: 0, awaiting: 0},
      })
      await server.post('/message', {message: 'hi'})
      expect((await server.get('/status')).body.lastMessage).to.include({
        role: 'assistant',
        sessionId: 'main',
        text: 'Hello there.',
      })
    })
  })

  describe('POST /model', () => {
    it('switches for the messages after it, and after a restart', async () => {
      const scripts = {one: () => 'from one', two: () => 'from two'}
      const server = await start({scripts})
      expect((await server.post('/message', {message: 'hi'})).body.model).to.equal('one/model')
      const switched = await server.post('/model', {model: 'two/model'})
      expect(switched.status).to.equal(200)
      expect(switched.body).to.deep.equal({
        model: {id: 'two/model', alias: null, provider: 'two'},
        previous: {id: 'one/model', alias: null, provider: 'one'},
      })
      expect((await server.post('/message', {message: 'hi'})).body).to.include({model: 'two/model', reply: 'from two'})
      await server.stop()
      servers.length = 0
      const restarted = await start({scripts, home: server.app.home})
      expect((await restarted.get('/status')).body.model).to.include({id: 'two/model'})
    })

    it('refuses what is no model, with a hint', async () => {
      const {createApp} = await import('../../../src/core/create-app.js')
      const {startServer} = await import('../../../src/server/serve.js')
      const {tempFolder} = await import('../../support/temp.js')
      const home = await tempFolder()
      await writeConfig(home, {gateway: {port: 0}, models: {aliases: {'gpt5.1': 'openai/gpt-5.1'}}})
      const app = await createApp({home, env: {}, kind: 'serve', stderr: 'off'})
      const running = await startServer(app)
      for (const [path, body] of [
        ['/model', {model: 'gpt51'}],
        ['/message', {message: 'hi', model: 'gpt51'}],
        ['/api/dashboard/model', {model: 'gpt51'}],
      ] as const) {
        const response = await fetch(running.url + path, {
          method: 'POST',
          headers: {'content-type': 'application/json'},
          body: JSON.stringify(body),
        })
        expect(response.status, path).to.equal(400)
        expect(((await response.json()) as {code: string; hint: string}).hint).to.contain('gpt5.1')
      }
      await running.close(0)
      await app.close(0)
    })
  })

  describe('POST /cron/:id/run', () => {
    it('knows no job yet', async () => {
      const server = await start()
      for (const id of ['daily', 'a.b', '%20', '__proto__', 'constructor', 'x'.repeat(300)]) {
        const reply = await server.post(`/cron/${id}/run`)
        expect(reply.status, id).to.be.oneOf([400, 404])
      }
      const reply = await server.post('/cron/daily/run', {})
      expect(problemOf(reply)).to.include({code: 'not-found', detail: 'There is no cron job daily.'})
      expect(problemOf(reply).hint).to.be.a('string')
    })
  })

  describe('POST /reload', () => {
    it('names what a restart would pick up, and changes nothing', async () => {
      const server = await start({config: {dashboard: {token: 'old-token-1234'}}})
      expect((await server.post('/reload')).body).to.deep.include({reloaded: false, restartRequired: true, changed: []})
      await writeConfig(server.app.home, {
        gateway: {port: 0, queue: 7},
        dashboard: {token: 'new-token-5678'},
        models: {aliases: {a: 'b/c'}},
      })
      const reply = await server.post('/reload')
      expect(reply.status).to.equal(200)
      expect(reply.body.changed).to.have.members(['gateway.queue', 'dashboard.token', 'models.aliases'])
      expect(JSON.stringify(reply.body)).not.to.contain('token-')
      expect(server.app.config.gateway.queue).to.equal(32)
    })

    it('says what is wrong with a broken file, and goes on with the last good one', async () => {
      const server = await start()
      const file = join(server.app.home, 'config.json')
      await writeFile(`${file}.new`, '{"gateway": {"port": "x"}}')
      await rename(`${file}.new`, file)
      const reply = await server.post('/reload')
      expect(reply.status).to.equal(503)
      expect(problemOf(reply).code).to.equal('bad-config')
      expect((await server.get('/health')).status).to.equal(200)
    })
  })
})
