import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {z} from 'zod'
import {receive} from '../../../src/core/agent/receive.js'
import {SvcError} from '../../../src/core/errors.js'
import {type Tool, tool} from '../../../src/core/tools/tool.js'
import {send, type TestApp, testApp} from '../../support/app.js'

const limits = {concurrency: 4, queue: 32}

/** Makes the next call of a store's method fail as a full disk does. */
function failOnce<Name extends string>(store: {[key in Name]: (...args: never[]) => Promise<unknown>}, method: Name): void {
  const real = store[method]
  const failing = async () => {
    store[method] = real
    throw new SvcError('storage-unavailable', 'The disk is full.')
  }
  store[method] = failing
}

const asking = (over: Partial<Tool> = {}): Tool =>
  tool({
    name: 'write',
    description: 'Writes.',
    input: z.object({}),
    idempotent: false,
    risk: () => ({level: 'ask', reason: 'It writes.'}),
    run: async () => 'written',
    ...over,
  } as Tool)

describe('A turn is neither lost nor forgotten', () => {
  let app: TestApp
  afterEach(() => app?.close(0))

  it('when it could not be started for a full disk', async () => {
    const gate = Promise.withResolvers<void>()
    app = await testApp({script: [{text: 'One.', until: gate.promise}, 'Two.']})
    await receive(app, {text: 'one', channel: 'cli'})
    const {turn} = await receive(app, {text: 'two', channel: 'cli'})
    failOnce(app.store.turns, 'claimNext')
    gate.resolve()
    expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Two.'})
  })

  it('when it was cancelled and its end could not be written', async () => {
    app = await testApp({script: [{end: 'stall'}]})
    const {turn} = await receive(app, {text: 'hi', channel: 'cli'})
    failOnce(app.store.turns, 'finish')
    expect(await app.engine.cancel(turn.id, 'cli')).to.include({status: 'cancelled'})
  })

  it('when it was cancelled while it was being decided that its owner must be asked', async () => {
    const gate = Promise.withResolvers<void>()
    const judging = Promise.withResolvers<void>()
    const risk: Tool['risk'] = async () => {
      judging.resolve()
      await gate.promise
      return {level: 'ask', reason: 'It writes.'}
    }
    app = await testApp({tools: [asking({risk})], script: [{calls: [{name: 'write'}]}]})
    const {turn} = await receive(app, {text: 'write', channel: 'cli'})
    await judging.promise
    const cancelled = app.engine.cancel(turn.id, 'cli')
    gate.resolve()
    expect(await cancelled).to.include({status: 'cancelled'})
    expect((await app.store.approvals.list({limit: 1, status: 'pending'})).items).to.deep.equal([])
  })

  it('when the process dies behind which a command waits', async () => {
    app = await testApp({script: ['One.', 'Two.']})
    const ofTheDead = {sessionId: 'main', agentId: 'assistant', channel: 'cli', model: 'test/model', title: 'one'}
    const at = app.now().toISOString()
    await app.store.turns.accept({...ofTheDead, id: 'turn_1', message: 'one', owner: 'process_dead', at}, limits)
    const {turn} = await receive(app, {text: 'two', channel: 'cli'})
    expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Two.'})
    expect(await app.store.turns.get('turn_1')).to.include({status: 'completed', reply: 'One.', takeovers: 1})
  })

  it('by whoever watches it, when it ends between two looks', async () => {
    const gate = Promise.withResolvers<void>()
    app = await testApp({script: [{text: 'One.', until: gate.promise}]})
    const {turn} = await receive(app, {text: 'one', channel: 'cli'})
    const ofTurn = app.store.events.ofTurn.bind(app.store.events)
    app.store.events.ofTurn = async (...args) => {
      const events = await ofTurn(...args)
      if (events.length > 0) return events
      gate.resolve()
      await app.engine.outcome(turn.id)
      return events
    }
    const types: string[] = []
    for await (const {type} of app.engine.watch(turn.id)) types.push(type)
    expect(types.at(-1)).to.equal('turn.completed')
  })

  describe('while it waits for its owner and nobody watches', () => {
    const script = [{calls: [{name: 'write'}]}, 'Done.']

    it('and the answer is given in another process', async () => {
      app = await testApp({kind: 'serve', tools: [asking()], script})
      const turn = await send(app, 'write')
      await sleep(300)
      const other = await testApp({home: app.home})
      const [approval] = (await other.store.approvals.list({limit: 1, status: 'pending'})).items
      if (!approval) throw new Error('Nothing is pending.')
      const decidedAt = app.now().toISOString()
      await other.store.approvals.settle({...approval, status: 'approved', decidedAt, decidedBy: 'cli'})
      expect(await finished(other, turn.id)).to.include({status: 'completed', reply: 'Done.'})
      await other.close(0)
    })

    it('and no answer comes', async () => {
      app = await testApp({kind: 'serve', tools: [asking()], script, config: {approvals: {expireMinutes: 0.01}}})
      const turn = await send(app, 'write')
      expect(await finished(app, turn.id)).to.include({status: 'completed', reply: 'Done.'})
    })
  })
})

/** Without the engine, which would listen for whoever waits. */
async function finished({store}: TestApp, turnId: string) {
  for (;;) {
    const turn = await store.turns.get(turnId)
    if (turn && 'finishedAt' in turn) return turn
    await sleep(50)
  }
}
