import {connect} from 'node:net'
import {expect} from 'chai'
import {startServer} from '../../../src/server/serve.js'
import {testApp} from '../../support/app.js'
import {parseEvents} from '../support/events.js'
import {problemOf, type TestServer, testServer} from '../support/server.js'

describe('POST /message', () => {
  const servers: TestServer[] = []
  const start = async (options: Parameters<typeof testServer>[0]) => {
    const server = await testServer(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })
  const turnsOf = async (server: TestServer) =>
    (await server.get('/api/dashboard/turns')).body.items as {id: string; status: string}[]
  const key = (value: string) => ({'idempotency-key': value})
  const asStream = {accept: 'text/event-stream'}
  const post = (server: TestServer, body: object, headers: Record<string, string> = {}) =>
    server.fetch('/message', {
      method: 'POST',
      headers: {'content-type': 'application/json', ...headers},
      body: JSON.stringify(body),
    })

  it('answers with reply, ids, model, calls, usage and duration', async () => {
    const server = await start({
      script: [
        {calls: [{name: 'time', input: {}}], usage: {inputTokens: 5}},
        {text: 'It is late.', usage: {inputTokens: 7, outputTokens: 3, cachedTokens: 2}},
      ],
    })
    const {status, body} = await server.post('/message', {message: 'what time is it?'})
    expect(status).to.equal(200)
    expect(body).to.deep.include({
      reply: 'It is late.',
      sessionId: 'main',
      model: 'test/model',
      status: 'completed',
      toolCalls: [{name: 'time', status: 'done'}],
    })
    expect(body.usage).to.include({inputTokens: 12, outputTokens: 3, cachedTokens: 2})
    expect(body.turnId).to.match(/^[A-Za-z0-9_-]{1,64}$/)
    expect(body.durationMs).to.be.a('number').that.is.at.least(0)
    expect(Object.keys(body)).to.have.length(8)
  })

  it('does real work with the offline model when nothing is configured', async () => {
    const app = await testApp({kind: 'serve', config: {gateway: {port: 0}}})
    await app.close(0)
    const {createApp} = await import('../../../src/core/create-app.js')
    const offline = await createApp({home: app.home, env: {}, kind: 'serve', stderr: 'off'})
    const running = await startServer(offline)
    const response = await fetch(`${running.url}/message`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify({message: 'what time is it?'}),
    })
    const reply = (await response.json()) as Record<string, unknown>
    expect(response.status).to.equal(200)
    expect(reply.model).to.equal('offline/assistant')
    expect(reply.toolCalls).to.deep.equal([{name: 'time', status: 'done'}])
    await running.close(0)
    await offline.close(0)
  })

  it('opens, joins and refuses sessions', async () => {
    const server = await start({script: () => 'Yes.'})
    const opened = await server.post('/message', {message: 'a', session: 'new'})
    expect(opened.body.sessionId).not.to.equal('main')
    const joined = await server.post('/message', {message: 'b', session: opened.body.sessionId})
    expect(joined.body.sessionId).to.equal(opened.body.sessionId)
    for (const session of ['channel-telegram-1', 'cron-x', 'a b', '../x', '', 'a'.repeat(65)]) {
      expect((await server.post('/message', {message: 'c', session})).status, session).to.equal(400)
    }
    expect(problemOf(await server.post('/message', {message: 'c', agent: 'nobody'})).code).to.equal('not-found')
  })

  for (const message of ['', '   ', '\n\t', null, 5, {}, ['hi'], true, '\ud800']) {
    it(`refuses ${JSON.stringify(message)} as a message`, async () => {
      const server = await start({})
      const reply = await server.post('/message', {message})
      expect(reply.status).to.equal(400)
      expect(problemOf(reply).errors?.[0]?.path).to.deep.equal(['message'])
      expect(await turnsOf(server)).to.deep.equal([])
    })
  }

  it('refuses a message that is too long, and takes any other text', async () => {
    const server = await start({script: () => 'Yes.'})
    expect((await server.post('/message', {message: 'a'.repeat(500_000)})).status).to.equal(413)
    for (const message of ['\0', '\u202e', 'a\u0000b', '😀'.repeat(1000), "'; DROP TABLE turns; --", '{{7*7}}', '__proto__']) {
      expect((await server.post('/message', {message})).status, JSON.stringify(message)).to.equal(200)
    }
  })

  it('fails as the turn failed', async () => {
    const {ProviderFailure} = await import('../../../src/core/models/provider.js')
    const failure = new ProviderFailure('provider-quota', 'The quota is used up.', {retryable: false, hint: 'Pay.'})
    const server = await start({script: [{end: 'fail', failure}]})
    const reply = await server.post('/message', {message: 'hi'}, key('f'))
    expect(reply.status).to.equal(502)
    expect(problemOf(reply)).to.include({code: 'provider-quota', hint: 'Pay.'})
    const replayed = await server.post('/message', {message: 'hi'}, key('f'))
    expect(replayed.body).to.deep.equal(reply.body)
    expect(await turnsOf(server)).to.have.length(1)
  })

  it('answers busy with Retry-After when the queue is full, and health answers meanwhile', async () => {
    const hold = Promise.withResolvers<void>()
    const server = await start({
      config: {gateway: {concurrency: 1, queue: 1}},
      script: () => ({until: hold.promise, text: 'done'}),
    })
    const first = server.post('/message', {message: '1', session: 'new'})
    await until(async () => (await turnsOf(server)).length === 1)
    const second = server.post('/message', {message: '2', session: 'new'})
    await until(async () => (await turnsOf(server)).length === 2)
    const third = await server.post('/message', {message: '3', session: 'new'}, key('busy'))
    expect(third.status).to.equal(503)
    expect(problemOf(third).code).to.equal('busy')
    expect(Number(third.headers.get('retry-after'))).to.be.greaterThan(0)
    expect((await server.get('/health')).status).to.equal(200)
    expect((await server.get('/status')).body.turns).to.deep.equal({running: 1, queued: 1, awaiting: 0})
    hold.resolve()
    expect((await Promise.all([first, second])).map(({status}) => status)).to.deep.equal([200, 200])
    expect((await server.post('/message', {message: '3', session: 'new'}, key('busy'))).status).to.equal(200)
  })

  it('goes on when its client is gone', async () => {
    const hold = Promise.withResolvers<void>()
    const server = await start({script: [{until: hold.promise, text: 'done'}]})
    const body = '{"message":"hello"}'
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST /message HTTP/1.1\r\nHost: ${server.authority}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until(async () => (await turnsOf(server)).length === 1)
    socket.resetAndDestroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    hold.resolve()
    await until(async () => (await turnsOf(server))[0]?.status === 'completed')
  })

  describe('with an Idempotency-Key', () => {
    it('answers the first turn again, at once and later, whatever the order of the keys', async () => {
      const hold = Promise.withResolvers<void>()
      const server = await start({script: (_request, number) => ({until: hold.promise, text: `reply ${number}`})})
      const bodies = [
        {message: 'hi', session: 'new'},
        {session: 'new', message: 'hi'},
      ]
      const waiting = Promise.all([0, 1, 0, 1, 0].map((index) => server.post('/message', bodies[index], key('k'))))
      await until(async () => (await turnsOf(server)).length === 1)
      hold.resolve()
      const replies = await waiting
      for (const reply of replies) expect(reply.body).to.deep.equal(replies[0]?.body)
      expect((await server.post('/message', bodies[0], key('k'))).body).to.deep.equal(replies[0]?.body)
      expect(await turnsOf(server)).to.have.length(1)
    })

    it('refuses another body with 409', async () => {
      const server = await start({script: () => 'Yes.'})
      await server.post('/message', {message: 'one'}, key('k'))
      for (const body of [{message: 'two'}, {message: 'one', session: 'new'}, {message: 'one', agent: 'assistant'}]) {
        expect(problemOf(await server.post('/message', body, key('k'))).code).to.equal('conflict')
      }
      expect((await server.post('/message', {message: 'two'}, key('K'))).status).to.equal(200)
    })

    it('does not remember what was refused', async () => {
      const server = await start({script: () => 'Yes.'})
      expect((await server.post('/message', {message: ''}, key('k'))).status).to.equal(400)
      expect((await server.post('/message', {message: 'now'}, key('k'))).status).to.equal(200)
    })

    for (const bad of ['', ' ', 'a b', 'a\tb', 'ä', 'a'.repeat(256)]) {
      it(`refuses ${JSON.stringify(bad.slice(0, 10))} (${bad.length})`, async () => {
        const server = await start({script: () => 'Yes.'})
        const body = '{"message":"hi"}'
        const reply = await server.raw(
          `POST /message HTTP/1.1\r\nHost: $HOST\r\nContent-Type: application/json\r\nIdempotency-Key: ${bad}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        expect(reply.status).to.equal(400)
        expect(await turnsOf(server)).to.deep.equal([])
      })
    }

    it('takes 255 visible characters', async () => {
      const server = await start({script: () => 'Yes.'})
      expect((await server.post('/message', {message: 'hi'}, key(`!${'~'.repeat(254)}`))).status).to.equal(200)
    })
  })

  describe('as a stream', () => {
    it('sends every event with its number and ends after the last', async () => {
      const server = await start({
        script: [{text: 'Let me see. ', calls: [{name: 'time', input: {}}]}, {text: ['It is ', 'late.\n\nVery.']}],
      })
      const response = await post(server, {message: 'hi'}, asStream)
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.match(/^text\/event-stream/)
      expect(response.headers.get('cache-control')).to.equal('no-store')
      const events = parseEvents(await response.text())
      expect(events.map(({id}) => Number(id))).to.deep.equal(events.map((_event, index) => index + 1))
      expect(events.map(({event}) => event).filter((type) => type !== 'text.delta')).to.deep.equal([
        'turn.started',
        'tool.started',
        'tool.finished',
        'turn.completed',
      ])
      expect(events.at(-1)?.data).to.include({type: 'turn.completed', reply: 'It is late.\n\nVery.'})
      for (const {event, data} of events) expect(data.type).to.equal(event)
    })

    it('resumes after Last-Event-ID when the key is posted again, and starts no second turn', async () => {
      const hold = Promise.withResolvers<void>()
      const server = await start({
        script: [
          {text: 'first', calls: [{name: 'time', input: {}}]},
          {until: hold.promise, text: 'second'},
        ],
      })
      const stop = new AbortController()
      const response = await server.fetch('/message', {
        method: 'POST',
        signal: stop.signal,
        headers: {'content-type': 'application/json', ...asStream, ...key('s')},
        body: '{"message":"hi"}',
      })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let seen = ''
      while (!seen.includes('tool.finished')) seen += (await reader?.read())?.value ?? ''
      stop.abort()
      const before = parseEvents(seen)
      hold.resolve()
      const after = parseEvents(
        await (await post(server, {message: 'hi'}, {...asStream, ...key('s'), 'last-event-id': before.at(-1)?.id ?? ''})).text(),
      )
      expect([...before, ...after].map(({id}) => Number(id))).to.deep.equal(
        [...before, ...after].map((_event, index) => index + 1),
      )
      expect(after.at(-1)?.event).to.equal('turn.completed')
      expect(await turnsOf(server)).to.have.length(1)
    })

    it('tells a failure as its last event', async () => {
      const {ProviderFailure} = await import('../../../src/core/models/provider.js')
      const server = await start({
        script: [{end: 'fail', failure: new ProviderFailure('provider-auth', 'Wrong key.', {retryable: false})}],
      })
      const events = parseEvents(await (await post(server, {message: 'hi'}, asStream)).text())
      expect(events.at(-1)?.data).to.include({type: 'turn.failed', code: 'provider-auth'})
    })

    it('is refused as a problem before it begins', async () => {
      const server = await start({})
      const response = await post(server, {message: ''}, asStream)
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([400, 'application/problem+json'])
      expect((await post(server, {message: 'hi'}, {...asStream, 'last-event-id': '-1'})).status).to.equal(400)
    })

    it('is sent only when Accept asks for it', async () => {
      const server = await start({script: () => 'Yes.'})
      const typeFor = async (accept: string) =>
        (await post(server, {message: 'hi'}, {accept})).headers.get('content-type')?.split(';')[0]
      expect(await typeFor('application/json, Text/Event-Stream;q=0.5')).to.equal('text/event-stream')
      for (const accept of ['*/*', 'application/json', 'text/*', 'text/event-stream;q=0', 'text/event-streams']) {
        expect(await typeFor(accept), accept).to.equal('application/json')
      }
    })
  })
})

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}
