import {expect} from 'chai'
import {problemOf, type TestServer, testServer} from './support/server.js'

const MIB = 1024 * 1024

describe('A request body', () => {
  let server: TestServer
  before(async () => {
    server = await testServer({script: () => 'Hello.'})
  })
  after(() => server.stop())

  const send = (body: string | Buffer, headers: string[] = ['Content-Type: application/json']) => {
    const bytes = Buffer.from(body)
    const head = ['POST /model HTTP/1.1', `Host: ${server.authority}`, `Content-Length: ${bytes.length}`, ...headers, '', '']
    return server.raw(Buffer.concat([Buffer.from(head.join('\r\n')), bytes]))
  }
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ]) {
    it(`may be ${type}`, async () => {
      expect((await send('{"model":"test/model"}', [`Content-Type: ${type}`])).status).to.equal(200)
    })
  }

  for (const type of [
    'text/plain',
    'text/plain;application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json+x',
    'application/problem+json',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; x=y',
    'application/json;',
    '',
    '*/*',
  ]) {
    it(`may not be ${JSON.stringify(type)}`, async () => {
      const reply = await send('{"model":"test/model"}', [`Content-Type: ${type}`])
      expect(reply.status).to.equal(415)
      expect(JSON.parse(reply.body).code).to.equal('unsupported-media-type')
    })
  }

  it('needs a type, and no encoding', async () => {
    expect((await send('{}', [])).status).to.equal(415)
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x']) {
      expect((await send('{}', ['Content-Type: application/json', `Content-Encoding: ${encoding}`])).status).to.equal(415)
    }
  })

  const bad: [string, string | Buffer][] = [
    ['nothing', ''],
    ['no JSON', '{model: 1}'],
    ['a cut object', '{"model":"x"'],
    ['two values', '{} {}'],
    ['a null', 'null'],
    ['a number', '1'],
    ['a string', '"text"'],
    ['an array', '[]'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{"model":"x"}', 'utf16le')],
    ['__proto__', '{"model":"x","__proto__":{"admin":true}}'],
    ['an escaped __proto__', '{"model":"x","\\u005f_proto__":1}'],
    ['a deep constructor', '{"model":{"a":[{"constructor":{"prototype":1}}]}}'],
    ['prototype', '{"prototype":1}'],
    ['65 levels', nested(65)],
    ['half a million levels', nested(500_000)],
    ['half a million objects', `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`],
    ['a wrong type', '{"model":5}'],
    ['an empty model', '{"model":" "}'],
    ['an unknown key', '{"model":"test/model","modle":"x"}'],
  ]
  for (const [what, body] of bad) {
    it(`answers 400 to ${what}`, async () => {
      const reply = await send(body)
      expect(reply.status).to.equal(400)
      const problem = problemOf({status: reply.status, body: JSON.parse(reply.body)})
      expect(problem.code).to.equal('invalid-input')
      expect(problem.errors).to.be.an('array').that.is.not.empty
    })
  }

  it('names what does not fit', async () => {
    const reply = await server.post('/model', {model: 5, modle: 'x', other: 1})
    expect(problemOf(reply).errors).to.deep.include({path: ['modle'], message: 'unknown key'})
    expect(problemOf(reply).errors?.map(({path}) => path)).to.deep.equal([['model'], ['modle'], ['other']])
  })

  it('may be 64 levels deep, and begin with a byte order mark', async () => {
    expect(JSON.parse((await send(nested(64))).body).detail).not.to.contain('nested')
    expect((await send('\ufeff{"model":"test/model"}')).status).to.equal(200)
  })

  it('of more than 1 MiB is refused before it is sent', async () => {
    const reply = await server.raw(
      `POST /message HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nContent-Length: ${MIB + 1}\r\n\r\n`,
    )
    expect(reply.status).to.equal(413)
    expect(JSON.parse(reply.body)).to.include({code: 'too-large', status: 413})
  })

  it('without a stated length is refused as soon as it is too large', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    const head = 'POST /message HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect((await server.raw(head + chunk.repeat(17))).status).to.equal(413)
  })

  it('that is far too large still lets its sender read the reply', async () => {
    const response = await server.fetch('/message', {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({message: 'a'.repeat(8 * MIB)}),
    })
    expect(response.status).to.equal(413)
  })

  it('of exactly 1 MiB is read', async () => {
    const body = `{"model":"${'a'.repeat(MIB - 12)}"}`
    expect(body.length).to.equal(MIB)
    expect((await send(body)).status).to.equal(400)
  })

  it('is refused where none belongs, but for an empty object', async () => {
    expect((await server.post('/reload', {})).status).to.equal(200)
    expect((await server.post('/reload')).status).to.equal(200)
    expect(problemOf(await server.post('/reload', {x: 1})).code).to.equal('invalid-input')
    expect((await server.post('/reload', {}, {'content-type': 'text/plain'})).status).to.equal(415)
  })

  it('is asked for only when it would be taken', async () => {
    const ask = (more: string) => server.raw(`POST /model HTTP/1.1\r\nHost: $HOST\r\nExpect: 100-continue\r\n${more}\r\n`)
    const large = await ask(`Content-Type: application/json\r\nContent-Length: ${2 * MIB}\r\n`)
    expect([large.status, large.text.includes('100 Continue')]).to.deep.equal([413, false])
    const form = await ask('Content-Type: text/plain\r\nContent-Length: 5\r\n')
    expect([form.status, form.text.includes('100 Continue')]).to.deep.equal([415, false])
    const foreign = await ask('Origin: http://evil.test\r\nContent-Type: application/json\r\nContent-Length: 2\r\n')
    expect([foreign.status, foreign.text.includes('100 Continue')]).to.deep.equal([403, false])
    const taken = await ask(
      'Content-Type: application/json\r\nContent-Length: 22\r\n\r\n{"model":"test/model"}'.replace(/\r\n$/, ''),
    )
    expect(taken.text).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/)
  })
})
