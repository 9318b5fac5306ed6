import {once} from 'node:events'
import {connect} from 'node:net'
import {expect} from 'chai'
import {rawRequest, readReply} from './support/raw.js'
import {type TestServer, testServer} from './support/server.js'

describe('The protocol', () => {
  let server: TestServer
  before(async () => {
    server = await testServer({script: () => 'Hello.'})
  })
  after(() => server.stop())

  const broken: [number, string, string][] = [
    [400, 'no HTTP', 'hello\r\n\r\n'],
    [400, 'TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    [400, 'a space before the colon', 'GET /health HTTP/1.1\r\nHost : $HOST\r\n\r\n'],
    [400, 'a folded header', 'GET /health HTTP/1.1\r\nHost: $HOST\r\nX: a\r\n b\r\n\r\n'],
    [400, 'a NUL in a header', 'GET /health HTTP/1.1\r\nHost: $HOST\r\nX: a\0b\r\n\r\n'],
    [400, 'a space in the path', 'GET /hea lth HTTP/1.1\r\nHost: $HOST\r\n\r\n'],
    [400, 'an unknown version', 'GET /health HTTP/9.9\r\nHost: $HOST\r\n\r\n'],
    [400, 'two lengths', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    [400, 'two equal lengths', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    [400, 'a list of lengths', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 2, 2\r\n\r\n{}'],
    [400, 'a negative length', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: -1\r\n\r\n'],
    [400, 'a length of letters', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 0x2\r\n\r\n{}'],
    [
      400,
      'length and chunks',
      'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [400, 'chunks under a false name', 'POST /model HTTP/1.1\r\nHost: $HOST\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    [
      400,
      'chunks before another coding',
      'POST /model HTTP/1.1\r\nHost: $HOST\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    ],
    [
      400,
      'a broken chunk',
      'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n',
    ],
    [431, 'headers without end', `GET /health HTTP/1.1\r\nHost: $HOST\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    [403, 'CONNECT', 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n'],
  ]
  for (const [status, what, request] of broken) {
    it(`answers ${status} to ${what}, as a problem`, async () => {
      const reply = await server.raw(request)
      expect(reply.status, reply.text).to.equal(status)
      expect(reply.headers).to.include({'content-type': 'application/problem+json', 'x-content-type-options': 'nosniff'})
      expect(JSON.parse(reply.body)).to.include({status})
      expect(JSON.parse(reply.body)).to.have.all.keys(
        'type',
        'title',
        'status',
        'detail',
        'code',
        'hint',
        ...(status === 400 && 'errors' in JSON.parse(reply.body) ? ['errors'] : []),
      )
    })
  }

  it('does not take the rest of a smuggled request for another', async () => {
    const inner = 'GET /health HTTP/1.1\r\nHost: evil.test\r\n\r\n'
    const reply = await server.raw(
      `POST /reload HTTP/1.1\r\nHost: $HOST\r\nContent-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    )
    expect(reply.text.match(/^HTTP\/1\.1 \d/gm)).to.have.length(1)
  })

  it('answers requests that come in one piece, in their order', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${server.authority}\r\n\r\n`
    socket.write(`${one('/health')}${one('/nope')}GET /status HTTP/1.1\r\nHost: ${server.authority}\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  it('gives up on a body that does not arrive, with 408', async function () {
    this.timeout(15_000)
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST /model HTTP/1.1\r\nHost: ${server.authority}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"mod`,
    )
    const reply = await readReply(socket, 12_000)
    expect(reply.status).to.equal(408)
    expect(JSON.parse(reply.body)).to.include({status: 408, code: 'invalid-input'})
  })

  it('outlives clients that vanish at any point', async () => {
    const whole = `POST /message HTTP/1.1\r\nHost: ${server.authority}\r\nContent-Type: application/json\r\nContent-Length: 38\r\n\r\n{"message":"hello","session":"vanish"}`
    for (let cut = 1; cut < whole.length; cut += 7) {
      const socket = connect(server.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(whole.slice(0, cut))
      socket.resetAndDestroy()
    }
    expect((await server.get('/health')).status).to.equal(200)
  })

  it('answers /health while 600 connections dribble headers, and is rid of them soon', async function () {
    this.timeout(20_000)
    const sockets = await Promise.all(
      Array.from({length: 600}, async () => {
        const socket = connect(server.port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write('GET /health HTTP/1.1\r\nHost: x\r\n')
        socket.resume()
        return socket
      }),
    )
    const dribble = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('X: y\r\n')
    }, 500)
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
    for (const socket of sockets) socket.on('error', () => {})
    const started = performance.now()
    let healthy = 0
    let open = true
    void closed.then(() => {
      open = false
    })
    while (open) {
      if ((await server.get('/health')).status === 200) healthy += 1
      await new Promise((resolve) => setTimeout(resolve, 50))
      if (performance.now() - started > 8000) break
    }
    clearInterval(dribble)
    for (const socket of sockets) socket.destroy()
    expect(open, 'connections left after 8 s').to.equal(false)
    expect(healthy).to.be.greaterThan(20)
  })
})

describe('Nonsense', () => {
  it('of any kind never gives a 5xx, and never stops the server', async function () {
    this.timeout(60_000)
    const server = await testServer({script: () => 'Hello.'})
    const random = generator(20_261_121)
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    const seeds = [
      'GET /status HTTP/1.1\r\nHost: $HOST\r\nAccept: text/event-stream\r\n\r\n',
      'GET /api/dashboard/turns?limit=5&cursor=3&status=failed HTTP/1.1\r\nHost: $HOST\r\nAuthorization: Bearer x\r\n\r\n',
      'GET /api/dashboard/search?q=%22a%20b%22 HTTP/1.1\r\nHost: $HOST\r\nLast-Event-ID: 4\r\n\r\n',
      'POST /model HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n{"model":"test/model"}',
      'POST /message HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{"message":"hi"}\r\n0\r\n\r\n',
      'POST /cron/x/run HTTP/1.1\r\nHost: $HOST\r\nContent-Length: 0\r\n\r\n',
    ]
    const pieces = [
      '\0',
      '\r\n',
      '%',
      '%00',
      '"',
      '\\',
      '{',
      '}',
      '[',
      ':',
      ' ',
      '../',
      '\x7f',
      '\xff',
      'null',
      '-1',
      '1e999',
      '__proto__',
      '\ud83d',
      ',',
      ';',
      '\t',
      '#',
      '?',
    ]
    const mutate = (text: string): string => {
      const at = Math.floor(random() * text.length)
      return pick([
        () => text.slice(0, at) + pick(pieces) + text.slice(at),
        () => text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 8)),
        () => text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1),
      ])()
    }
    const statuses = new Map<number, number>()
    for (let round = 0; round < 60; round += 1) {
      const requests = Array.from({length: 20}, () => mutate(mutate(pick(seeds))))
      const replies = await Promise.all(
        requests.map((request) =>
          rawRequest(server.port, Buffer.from(request.replaceAll('$HOST', server.authority), 'latin1'), {timeoutMs: 150}),
        ),
      )
      for (const [index, {status, text}] of replies.entries()) {
        expect(status, `${JSON.stringify(requests[index])} gave ${text}`).to.be.lessThan(500)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    expect([...statuses.keys()]).to.include.members([200, 400, 403, 404])
    expect((await server.get('/health')).status).to.equal(200)
    await server.stop()
  })
})

/** A small linear congruential generator, so that a failure can be had again. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
