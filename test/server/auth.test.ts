import {expect} from 'chai'
import {SvcError} from '../../src/core/errors.js'
import {checkBinding} from '../../src/server/binding.js'
import {plainAddress} from '../../src/server/client-address.js'
import {problemOf, type TestServer, testServer} from './support/server.js'

const TOKEN = 'fJ2-kQ9_sL4vX8bN1mZ7'
// biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own syntax
const UNSET = '${SVC_TEST_UNSET_TOKEN}'
const STATUS = '/api/dashboard/status'
const bearer = (token: string) => ({authorization: `Bearer ${token}`})

describe('The dashboard token', () => {
  const servers: TestServer[] = []
  const start = async (options: Parameters<typeof testServer>[0]) => {
    const server = await testServer(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })

  it('is not asked for when none is configured', async () => {
    const server = await start({})
    expect((await server.get(STATUS)).status).to.equal(200)
    expect((await server.get(STATUS, bearer('anything'))).status).to.equal(200)
  })

  it('opens every dashboard route and only those', async () => {
    const server = await start({config: {dashboard: {token: TOKEN}}})
    expect((await server.get(STATUS, bearer(TOKEN))).status).to.equal(200)
    expect((await server.get(STATUS, {authorization: `bearer  ${TOKEN}`})).status).to.equal(200)
    expect((await server.get('/status')).status).to.equal(200)
    expect((await server.get('/health')).status).to.equal(200)
    expect((await server.post('/reload')).status).to.equal(200)
  })

  it('is missed with 401 and a challenge, on unknown paths and wrong methods too', async () => {
    const server = await start({config: {dashboard: {token: TOKEN}}})
    for (const [method, path] of [
      ['GET', STATUS],
      ['GET', '/api/dashboard/nope'],
      ['GET', '/api/dashboard'],
      ['PUT', STATUS],
      ['GET', '/API/Dashboard/Status'],
      ['HEAD', STATUS],
      ['GET', `${STATUS}/`],
      ['POST', '/api/dashboard/model'],
    ] as const) {
      const reply = await server.request(method, path)
      expect(reply.status, `${method} ${path}`).to.equal(401)
      expect(reply.headers.get('www-authenticate')).to.equal('Bearer')
      if (method !== 'HEAD') expect(problemOf(reply).code).to.equal('unauthorized')
    }
  })

  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN.toLowerCase()}`,
    `Bearer ${TOKEN} x`,
    `Bearer "${TOKEN}"`,
    `Token ${TOKEN}`,
  ]) {
    it(`is not ${JSON.stringify(authorization)}`, async () => {
      const server = await start({config: {dashboard: {token: TOKEN}}})
      expect((await server.get(STATUS, {authorization})).status).to.equal(401)
    })
  }

  it('is taken from the header alone', async () => {
    const server = await start({config: {dashboard: {token: TOKEN}}})
    expect((await server.get(`${STATUS}?token=${TOKEN}&access_token=${TOKEN}`)).status).to.equal(401)
    expect((await server.get(STATUS, {cookie: `token=${TOKEN}`})).status).to.equal(401)
  })

  it('that expands to nothing locks every dashboard route and nothing else', async () => {
    const server = await start({config: {dashboard: {token: UNSET}}})
    expect(server.app.config.dashboard.token).to.equal('')
    for (const headers of [{}, bearer(''), bearer('x'), {authorization: `Bearer ${UNSET}`}]) {
      expect((await server.get(STATUS, headers)).status).to.equal(401)
    }
    expect((await server.get('/status')).status).to.equal(200)
  })

  it('may be rotated while the server runs, and then ends open streams', async () => {
    const hold = Promise.withResolvers<void>()
    const server = await start({config: {dashboard: {token: TOKEN}}, script: [{until: hold.promise, text: 'late'}]})
    const stream = server.fetch('/message', {
      method: 'POST',
      headers: {'content-type': 'application/json', accept: 'text/event-stream'},
      body: JSON.stringify({message: 'hello'}),
    })
    await stream
    const turns = await server.get('/api/dashboard/turns', bearer(TOKEN))
    const [{id} = {id: ''}] = turns.body.items as {id: string}[]
    const events = await server.fetch(`/api/dashboard/turns/${id}/events`, {headers: bearer(TOKEN)})
    server.app.config.dashboard.token = 'another-one-9f8e7d6c'
    expect(await events.text())
      .to.contain('turn.started')
      .and.not.contain('turn.completed')
    expect((await server.get(STATUS, bearer(TOKEN))).status).to.equal(401)
    expect((await server.get(STATUS, bearer('another-one-9f8e7d6c'))).status).to.equal(200)
    hold.resolve()
    await (await stream).text()
  })

  describe('guessed too often', () => {
    const guess = async (server: TestServer, times: number, headers: Record<string, string> = {}) => {
      const statuses: number[] = []
      for (let count = 0; count < times; count += 1)
        statuses.push((await server.get(STATUS, {...bearer('wrong'), ...headers})).status)
      return statuses
    }
    const behindProxy = {dashboard: {token: TOKEN}, gateway: {trustedProxies: ['127.0.0.1']}}

    it('locks the address after ten, but never the owner at the machine', async () => {
      const server = await start({config: {dashboard: {token: TOKEN}}})
      expect(await guess(server, 11)).to.deep.equal([...Array(10).fill(401), 429])
      const locked = await server.get(STATUS, bearer('wrong'))
      expect(problemOf(locked).code).to.equal('rate-limited')
      expect(Number(locked.headers.get('retry-after'))).to.be.within(290, 300)
      expect((await server.get(STATUS)).status).to.equal(429)
      expect((await server.get(STATUS, bearer(TOKEN))).status).to.equal(200)
    })

    it('locks out the right token too when it comes from elsewhere, and no other address', async () => {
      const server = await start({config: behindProxy})
      await guess(server, 10, {'x-forwarded-for': '203.0.113.9'})
      const from = (address: string) => server.get(STATUS, {...bearer(TOKEN), 'x-forwarded-for': address})
      expect((await from('203.0.113.9')).status).to.equal(429)
      expect((await from('::ffff:203.0.113.9')).status).to.equal(429)
      expect((await from('198.51.100.1, 203.0.113.9')).status).to.equal(429)
      expect((await from('203.0.113.8')).status).to.equal(200)
      expect((await from('127.0.0.1')).status).to.equal(200)
    })

    it('does not count requests without a token', async () => {
      const server = await start({config: {dashboard: {token: TOKEN}}})
      for (let count = 0; count < 12; count += 1) expect((await server.get(STATUS)).status).to.equal(401)
      expect(await guess(server, 1)).to.deep.equal([401])
    })

    it('counts within 60 s, unlocks after 5 min and survives a restart', async () => {
      let now = Date.now()
      const options = {config: {dashboard: {token: TOKEN}}, now: () => new Date(now)}
      const server = await start(options)
      await guess(server, 9)
      now += 61_000
      expect(await guess(server, 11)).to.deep.equal([...Array(10).fill(401), 429])
      await server.stop()
      servers.length = 0
      const restarted = await start({...options, home: server.app.home})
      expect(await guess(restarted, 1)).to.deep.equal([429])
      now += 5 * 60_000 + 1
      expect(await guess(restarted, 1)).to.deep.equal([401])
    })
  })
})

describe('plainAddress', () => {
  it('knows the forms of one address', () => {
    expect(['::ffff:127.0.0.1', '::FFFF:10.0.0.1', '127.0.0.1', 'FE80::1%eth0', '::1'].map(plainAddress)).to.deep.equal([
      '127.0.0.1',
      '10.0.0.1',
      '127.0.0.1',
      'fe80::1',
      '::1',
    ])
  })
})

describe('checkBinding', () => {
  const check = (gateway: object, token?: string) => () => {
    const config = {
      gateway: {host: '127.0.0.1', allowRemote: false, ...gateway},
      dashboard: {...(token !== undefined && {token})},
    }
    checkBinding(config as Parameters<typeof checkBinding>[0])
  }
  const refuses = (run: () => void, key: string[]) => {
    const error = (() => {
      try {
        run()
      } catch (thrown) {
        return thrown as SvcError
      }
      return undefined
    })()
    expect(error).to.be.instanceOf(SvcError)
    expect(error?.code).to.equal('bad-config')
    expect(error?.hint).to.be.a('string')
    expect(error?.issues?.[0]?.path).to.deep.equal(key)
  }

  it('lets loopback be, with a token, without one, with an empty one', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost']) {
      for (const token of [undefined, '', TOKEN]) check({host}, token)()
    }
  })

  it('wants allowRemote and a token for anything else', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.2', 'my.host', '::ffff:10.0.0.1', '128.0.0.1', '127.evil.test']) {
      refuses(check({host}, TOKEN), ['gateway', 'host'])
      refuses(check({host, allowRemote: true}), ['dashboard', 'token'])
      refuses(check({host, allowRemote: true}, ''), ['dashboard', 'token'])
      check({host, allowRemote: true}, TOKEN)()
    }
  })

  it('refuses placeholders, on loopback too', () => {
    for (const token of [
      'changeme',
      'Change-Me',
      'token',
      'secret',
      '<your-token>',
      'YOUR_TOKEN_HERE',
      'password',
      'xxxxxxxx',
      'todo',
      'two words',
      'täken',
      '\t',
    ]) {
      refuses(check({}, token), ['dashboard', 'token'])
    }
  })
})
