import {expect} from 'chai'
import {openapi} from '../../../src/server/openapi.js'
import {routes} from '../../../src/server/serve.js'
import {parseEvents} from '../support/events.js'
import {problemOf, type TestServer, testServer} from '../support/server.js'

const api = '/api/dashboard'

describe('The dashboard API', () => {
  const servers: TestServer[] = []
  const start = async (options: Parameters<typeof testServer>[0] = {script: () => 'Yes.'}) => {
    const server = await testServer(options)
    servers.push(server)
    return server
  }
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop()
  })
  const itemsOf = (reply: {body: Record<string, unknown>}) => reply.body.items as Record<string, unknown>[]

  it('tells and switches the model', async () => {
    const server = await start({scripts: {one: [], two: []}})
    expect((await server.get(`${api}/model`)).body).to.deep.equal({model: {id: 'one/model', alias: null, provider: 'one'}})
    const switched = await server.post(`${api}/model`, {model: 'two/model'})
    expect(switched.body).to.have.nested.property('previous.id', 'one/model')
    expect((await server.get(`${api}/model`)).body).to.have.nested.property('model.id', 'two/model')
    expect((await server.get(`${api}/status`)).body).to.have.nested.property('model.id', 'two/model')
    const {items} = await server.app.store.audit.list({limit: 1})
    expect(items[0]).to.include({actor: 'dashboard'})
  })

  it('pages through turns, newest first, by session and status', async () => {
    const server = await start()
    for (const number of [1, 2, 3, 4, 5])
      await server.post('/message', {message: `m${number}`, session: number % 2 ? 'odd' : 'even'})
    const seen: unknown[] = []
    let cursor: unknown
    do {
      const page = await server.get(`${api}/turns?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...itemsOf(page).map(({message}) => message))
      cursor = page.body.nextCursor
    } while (cursor !== null)
    expect(seen).to.deep.equal(['m5', 'm4', 'm3', 'm2', 'm1'])
    expect(itemsOf(await server.get(`${api}/turns?session=even`)).map(({message}) => message)).to.deep.equal(['m4', 'm2'])
    expect(itemsOf(await server.get(`${api}/turns?status=failed`))).to.deep.equal([])
    expect(itemsOf(await server.get(`${api}/turns?status=completed&session=odd`))).to.have.length(3)
  })

  it('shows a turn with the same fields in every state', async () => {
    const hold = Promise.withResolvers<void>()
    const {ProviderFailure} = await import('../../../src/core/models/provider.js')
    const failure = new ProviderFailure('provider-auth', 'Wrong key.', {retryable: false})
    const server = await start({
      script: [{calls: [{name: 'time', input: {}}]}, 'Late.', {end: 'fail', failure}, {until: hold.promise, text: 'x'}],
    })
    await server.post('/message', {message: 'completed'})
    await server.post('/message', {message: 'failed'})
    const running = server.post('/message', {message: 'running'})
    let turns: Record<string, unknown>[] = []
    while (turns.length < 3) turns = itemsOf(await server.get(`${api}/turns`))
    const queued = server.post('/message', {message: 'queued'})
    while (turns.length < 4) turns = itemsOf(await server.get(`${api}/turns`))
    const [fourth, third, second, first] = turns
    expect(first).to.include({status: 'completed', reply: 'Late.', error: null})
    expect(second).to.deep.include({status: 'failed', reply: null, error: {code: 'provider-auth', detail: 'Wrong key.'}})
    expect(third).to.include({status: 'running', finishedAt: null, reply: null})
    expect(fourth).to.include({status: 'queued', startedAt: null, finishedAt: null})
    for (const turn of turns) {
      expect(turn).to.include.all.keys(
        'id',
        'sessionId',
        'status',
        'model',
        'createdAt',
        'startedAt',
        'finishedAt',
        'error',
        'usage',
      )
      expect(turn.usage).to.have.all.keys('inputTokens', 'outputTokens', 'cachedTokens', 'costUsd')
    }

    const detail = await server.get(`${api}/turns/${first?.id}`)
    expect(detail.body).to.include({id: first?.id})
    expect(detail.body.events).to.be.a('number').that.is.at.least(4)
    expect(detail.body.calls).to.have.length(1)
    expect((detail.body.calls as object[])[0]).to.include({name: 'time', status: 'done', step: 1, approvalId: null})

    const cancelled = await server.post(`${api}/turns/${fourth?.id}/cancel`)
    expect(cancelled.body).to.include({id: fourth?.id, status: 'cancelled'})
    expect((await queued).status).to.equal(409)
    expect(problemOf(await queued).code).to.equal('cancelled')
    expect((await server.post(`${api}/turns/${third?.id}/cancel`, {})).body).to.include({status: 'cancelled'})
    expect((await running).status).to.equal(409)
    expect(problemOf(await server.post(`${api}/turns/${first?.id}/cancel`)).code).to.equal('conflict')
    hold.resolve()
  })

  it('answers 404 to ids nobody has, 400 to what is none', async () => {
    const server = await start()
    for (const path of ['/turns/nobody', '/turns/nobody/events']) {
      expect(problemOf(await server.get(api + path)).code).to.equal('not-found')
    }
    expect(problemOf(await server.post(`${api}/turns/nobody/cancel`)).code).to.equal('not-found')
    for (const id of ['a.b', 'a%20b', 'x'.repeat(65), '%F0%9F%98%80', "'", '*']) {
      expect((await server.get(`${api}/turns/${id}`)).status, id).to.equal(400)
      expect((await server.get(`${api}/turns/${id}/events`)).status, id).to.equal(400)
      expect((await server.post(`${api}/turns/${id}/cancel`)).status, id).to.equal(400)
    }
  })

  it('streams the events of a turn from the start, or after the last one seen', async () => {
    const server = await start({script: [{calls: [{name: 'time', input: {}}]}, 'Late.']})
    const {body} = await server.post('/message', {message: 'hi'})
    const path = `${api}/turns/${body.turnId}/events`
    const events = async (headers: Record<string, string> = {}) => parseEvents(await (await server.fetch(path, {headers})).text())
    const all = await events()
    expect(all.at(0)?.event).to.equal('turn.started')
    expect(all.at(-1)?.event).to.equal('turn.completed')
    expect(await events({'last-event-id': all[1]?.id as string})).to.deep.equal(all.slice(2))
    expect(await events({'last-event-id': all.at(-1)?.id as string})).to.deep.equal([])
    expect((await server.get(path, {'last-event-id': 'x'})).status).to.equal(400)
    const head = await server.fetch(path, {method: 'HEAD'})
    expect([head.status, head.headers.get('content-type')]).to.deep.equal([200, 'text/event-stream; charset=utf-8'])
  })

  it('searches, and takes any text as words', async () => {
    const server = await start()
    await server.post('/message', {message: 'the quick brown fox'})
    await server.post('/message', {message: 'a slow brown snail'})
    const find = (words: string) => server.get(`${api}/search?q=${encodeURIComponent(words)}`)
    expect(itemsOf(await find('brown'))).to.have.length(2)
    const [hit] = itemsOf(await find('"quick brown"'))
    expect(hit).to.include({sessionId: 'main', role: 'user', snippet: 'the [quick brown] fox'})
    for (const words of ['AND', 'NOT brown', '"a', "a'", 'a*', '(a', 'a:b', 'a-b', '^a', '\\a', 'a;--', 'NEAR(a b)', '\u202ea']) {
      expect((await find(words)).status, words).to.equal(200)
    }
    for (const words of ['"', "'", '*', '-', '""', '😀']) {
      expect(problemOf(await find(words)).errors?.[0]?.path, words).to.deep.equal(['q'])
    }
    for (const query of ['', '?q=', '?q=%20', '?q=a&q=b', `?q=${'a'.repeat(1001)}`]) {
      expect((await server.get(`${api}/search${query}`)).status, query).to.equal(400)
    }
  })

  it('describes itself', async () => {
    const server = await start()
    const reply = await server.get(`${api}/openapi.json`)
    expect(reply.body).to.deep.equal(JSON.parse(JSON.stringify(openapi(routes, server.app.version))))
  })
})
