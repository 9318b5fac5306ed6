import {expect} from 'chai'
import {z} from 'zod'
import {tool} from '../../../src/core/tools/tool.js'
import {parseEvents} from '../support/events.js'
import {type TestServer, testServer} from '../support/server.js'

const shout = tool({
  name: 'shout',
  description: 'Shouts.',
  input: z.object({}),
  risk: () => ({level: 'ask', reason: 'It is loud.'}),
  idempotent: false,
  run: async () => 'HELLO',
})

describe('POST /message, when the turn waits for its owner', () => {
  let server: TestServer
  beforeEach(async () => {
    server = await testServer({tools: [shout], script: [{calls: [{name: 'shout', input: {}}]}, 'Done.']})
  })
  afterEach(() => server.stop())

  const ask = (headers: Record<string, string> = {}) =>
    server.post('/message', {message: 'shout'}, {'idempotency-key': 'k', ...headers})

  async function approve(): Promise<void> {
    const [approval] = (await server.app.store.approvals.list({limit: 1, status: 'pending'})).items
    if (approval?.status !== 'pending') throw new Error('Nothing is pending.')
    const decidedAt = server.app.now().toISOString()
    await server.app.store.approvals.settle({...approval, status: 'approved', decidedAt, decidedBy: 'test'})
    server.app.engine.wake()
  }

  it('answers 202 until it was decided, and then the reply', async () => {
    const waiting = await ask()
    expect(waiting.status).to.equal(202)
    expect(waiting.body).to.have.all.keys('turnId', 'sessionId', 'status', 'approvals')
    expect(waiting.body).to.include({sessionId: 'main', status: 'awaiting-approval'})
    expect(waiting.body.approvals).to.have.length(1)
    expect((await ask()).body).to.deep.equal(waiting.body)
    expect((await server.get(`/api/dashboard/turns/${waiting.body.turnId}`)).body).to.deep.include({
      status: 'awaiting-approval',
      approvals: waiting.body.approvals,
      finishedAt: null,
    })

    await approve()
    const turn = await server.app.engine.outcome(waiting.body.turnId as string)
    expect(turn.status).to.equal('completed')
    const final = await ask()
    expect(final.status).to.equal(200)
    expect(final.body).to.deep.include({
      reply: 'Done.',
      turnId: waiting.body.turnId,
      toolCalls: [{name: 'shout', status: 'done'}],
    })
  })

  it('keeps a stream open', async () => {
    const response = await server.fetch('/message', {
      method: 'POST',
      headers: {'content-type': 'application/json', accept: 'text/event-stream'},
      body: '{"message":"shout"}',
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('approval.requested')) text += (await reader?.read())?.value ?? ''
    await approve()
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) text += chunk.value
    const types = parseEvents(text).map(({event}) => event)
    expect(types).to.include.members(['approval.requested', 'approval.decided', 'tool.finished'])
    expect(types.at(-1)).to.equal('turn.completed')
  })
})
