import {expect} from 'chai'
import {type TestServer, testServer} from './support/server.js'

describe('The guard', () => {
  let server: TestServer
  before(async () => {
    server = await testServer({config: {gateway: {allowedHosts: ['Gateway.Example:8443', 'plain.example']}}})
  })
  after(() => server.stop())

  const ask = (headers: string[], {method = 'GET', target = '/health', version = '1.1'} = {}) =>
    server.raw(`${method} ${target} HTTP/${version}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`)

  describe('on Host', () => {
    for (const host of [
      '$HOST',
      'localhost:$PORT',
      'LocalHost:$PORT',
      'localhost.:$PORT',
      '[::1]:$PORT',
      'gateway.example:8443',
      'GATEWAY.example.:8443',
      'plain.example',
    ]) {
      it(`takes ${host}`, async () => {
        expect((await ask([`Host: ${host.replace('$PORT', String(server.port))}`])).status).to.equal(200)
      })
    }

    for (const host of [
      '',
      'evil.test',
      'evil.test:$PORT',
      '127.0.0.1',
      'localhost',
      '127.0.0.1:1',
      '127.0.0.1:0$PORT',
      'localhost..:$PORT',
      '127.0.0.1.evil.test:$PORT',
      'localhost:$PORT@evil.test',
      'evil.test@localhost:$PORT',
      'localhost:$PORT,evil.test',
      'localhost:$PORT evil.test',
      '0.0.0.0:$PORT',
      '127.1:$PORT',
      '127.0.0.2:$PORT',
      '2130706433:$PORT',
      '[::ffff:127.0.0.1]:$PORT',
      '[::]:$PORT',
      'gateway.example',
      'gateway.example:$PORT',
      'plain.example:$PORT',
      'http://localhost:$PORT',
      'localhost:$PORT/',
      'xn--localhost:$PORT',
      'localhost%00:$PORT',
    ]) {
      it(`refuses ${JSON.stringify(host)}`, async () => {
        const reply = await ask([`Host: ${host.replace('$PORT', String(server.port))}`])
        expect(reply.status).to.equal(403)
        expect(JSON.parse(reply.body)).to.include({code: 'forbidden-origin', status: 403})
      })
    }

    it('refuses none, in HTTP/1.0 and 1.1, and more than one, equal or not, in any case', async () => {
      const replies = await Promise.all([
        ask([]),
        ask([], {version: '1.0'}),
        ask(['Host: $HOST', 'Host: evil.test']),
        ask(['Host: evil.test', 'Host: $HOST']),
        ask(['Host: $HOST', 'hOST: $HOST']),
      ])
      expect(replies.map(({status}) => status)).to.deep.equal([403, 403, 403, 403, 403])
    })

    it('takes HTTP/1.0 with one', async () => {
      expect((await ask(['Host: $HOST'], {version: '1.0'})).status).to.equal(200)
    })

    it('refuses targets that name an authority', async () => {
      const targets = ['http://$HOST/health', 'http://evil.test/health', 'https://$HOST/', '*', 'health']
      const replies = await Promise.all(targets.map((target) => ask(['Host: $HOST'], {target})))
      for (const {status} of replies) expect(status).to.be.oneOf([400, 403])
    })

    it('comes before everything else, unknown paths too', async () => {
      expect((await ask(['Host: evil.test'], {target: '/nope'})).status).to.equal(403)
      expect((await ask(['Host: evil.test'], {target: '/api/dashboard/status'})).status).to.equal(403)
      expect((await ask(['Host: evil.test'], {method: 'DELETE'})).status).to.equal(403)
    })
  })

  describe('on Origin', () => {
    for (const origin of [
      'http://$HOST',
      'https://$HOST',
      'http://localhost:$PORT',
      'HTTP://LOCALHOST:$PORT',
      'https://gateway.example:8443',
    ]) {
      it(`takes ${origin}`, async () => {
        expect((await ask(['Host: $HOST', `Origin: ${origin.replace('$PORT', String(server.port))}`])).status).to.equal(200)
      })
    }

    for (const origin of [
      '',
      'null',
      'http://evil.test',
      'http://127.0.0.1',
      'http://localhost',
      'http://localhost:1',
      'http://evil.test:$PORT',
      'file://',
      'file://$HOST',
      'chrome-extension://$HOST',
      'ws://$HOST',
      '$HOST',
      'http://$HOST.evil.test',
      'http://$HOST/',
      'http://$HOST@evil.test',
      'http://user@$HOST',
      'javascript:http://$HOST',
      'http://$HOST, http://evil.test',
    ]) {
      it(`refuses ${JSON.stringify(origin)}`, async () => {
        const reply = await ask(['Host: $HOST', `Origin: ${origin.replace('$PORT', String(server.port))}`])
        expect(reply.status).to.equal(403)
        expect(JSON.parse(reply.body).code).to.equal('forbidden-origin')
      })
    }

    it('refuses two of them, of which one is ours', async () => {
      expect((await ask(['Host: $HOST', 'Origin: http://$HOST', 'Origin: http://evil.test'])).status).to.equal(403)
    })
  })

  describe('on Sec-Fetch-Site', () => {
    const link = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
    const cases: [number, string, string[], {method?: string; target?: string}?][] = [
      [200, 'same-origin', []],
      [200, 'none', []],
      [403, 'same-site', []],
      [403, 'cross-site', []],
      [403, 'Same-Origin', []],
      [403, '', []],
      [403, 'cross-site', link],
      [404, 'cross-site', link, {target: '/dashboard'}],
      [404, 'same-site', link, {target: '/dashboard/turns?x=1'}],
      [403, 'cross-site', link, {target: '/dashboards'}],
      [403, 'cross-site', link, {target: '/dashboard', method: 'POST'}],
      [403, 'cross-site', ['Sec-Fetch-Mode: no-cors'], {target: '/dashboard'}],
      [403, 'cross-site', ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'], {target: '/dashboard'}],
    ]
    for (const [status, site, more, request] of cases) {
      it(`answers ${status} to ${JSON.stringify(site)} ${request?.method ?? 'GET'} ${request?.target ?? '/health'} ${more.join(', ')}`, async () => {
        expect((await ask(['Host: $HOST', `Sec-Fetch-Site: ${site}`, ...more], request)).status).to.equal(status)
      })
    }
  })

  describe('on forwarding headers', () => {
    for (const header of [
      'Forwarded: for=1.2.3.4',
      'X-Forwarded-For: 127.0.0.1',
      'x-forwarded-host: a',
      'X-FORWARDED-PROTO: https',
      'X-Forwarded-Anything: 1',
      'X-Real-IP: 1.2.3.4',
      'Forwarded:',
    ]) {
      it(`refuses ${header}`, async () => {
        expect((await ask(['Host: $HOST', header])).status).to.equal(403)
      })
    }

    it('takes them from a trusted proxy only', async () => {
      const trusting = await testServer({config: {gateway: {trustedProxies: ['127.0.0.1']}}})
      const elsewhere = await testServer({config: {gateway: {trustedProxies: ['10.0.0.0/8', '::1']}}})
      const headers = {'x-forwarded-for': '1.2.3.4'}
      expect((await trusting.get('/health', headers)).status).to.equal(200)
      expect((await elsewhere.get('/health', headers)).status).to.equal(403)
      await trusting.stop()
      await elsewhere.stop()
    })
  })

  describe('on the path', () => {
    for (const target of [
      '/%',
      '/%2',
      '/%zz',
      '/health%',
      '/health?q=%',
      '/health?q=%ff',
      '/%ff',
      '/%c0%af',
      '/%ed%a0%80',
      '/cron/a%2fb/run',
      '/cron/a%2Fb/run',
      '/cron/a%5cb/run',
      '/cron/a%5Cb/run',
      '/cron/%00/run',
      '/cron/a%00/run',
      '/health?q=%00',
      '/cron/%2e/run',
      '/cron/%2e%2e/run',
      '/cron/%2E./run',
      '/cron/.%2e/run',
      '/../health',
      '/./health',
      '/health/..',
      '/cron\\x/run',
      '/nope%2f',
      '/api/dashboard/turns/%2e%2e',
      '/health#top',
    ]) {
      it(`answers 400 to ${target}`, async () => {
        const reply = await ask(['Host: $HOST'], {target})
        expect(reply.status).to.equal(400)
        expect(JSON.parse(reply.body).code).to.equal('invalid-input')
      })
    }

    it('takes what is properly encoded', async () => {
      expect((await ask(['Host: $HOST'], {target: '/health?q=a%2Fb+%C3%A4'})).status).to.equal(200)
      expect((await ask(['Host: $HOST'], {target: '/%68ealth'})).status).to.equal(404)
    })

    it('answers 400 or 404 to bytes outside ASCII, doubled slashes and very long paths', async () => {
      for (const target of ['/h\u00e4', '//health', '//evil.test/health', `/${'a'.repeat(12_000)}`]) {
        expect((await ask(['Host: $HOST'], {target})).status).to.be.oneOf([400, 404])
      }
    })
  })

  it('answers no preflight and sends no CORS header', async () => {
    for (const target of ['/health', '/message', '/nope', '/api/dashboard/model']) {
      const reply = await ask(['Host: $HOST', 'Origin: http://$HOST', 'Access-Control-Request-Method: POST'], {
        method: 'OPTIONS',
        target,
      })
      expect(reply.status).to.equal(403)
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([])
    }
  })

  it('upgrades nothing, and answers who only offers HTTP/2', async () => {
    const upgrade = [
      'Host: $HOST',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ]
    expect((await ask([...upgrade, 'Upgrade: websocket'])).status).to.equal(400)
    expect((await ask([...upgrade, 'Upgrade: h2c'])).status).to.equal(200)
  })
})
