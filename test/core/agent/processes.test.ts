import {expect} from 'chai'
import {receive} from '../../../src/core/agent/receive.js'
import {forgetOldTurns} from '../../../src/core/agent/retention.js'
import {type TestApp, testApp, typesOf} from '../../support/app.js'

/** Two apps over one home are, for the store and for each other, two processes. */
describe('Two processes in one home', () => {
  let first: TestApp
  let second: TestApp
  let release: () => void

  beforeEach(async () => {
    const gate = Promise.withResolvers<void>()
    release = gate.resolve
    first = await testApp({script: [{text: 'From the first.', until: gate.promise}]})
    second = await testApp({home: first.home, script: ['From the second.', 'Again.']})
  })
  afterEach(async () => {
    await second.close(0)
    await first.close(0)
  })

  it('see each other’s turns as they happen', async () => {
    const {turn} = await receive(first, {text: 'hi', channel: 'cli'})
    const seen = collect(second, turn.id)
    release()
    expect(typesOf(await seen)).to.deep.equal(['turn.started', 'text.delta', 'turn.completed'])
    expect(await second.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'From the first.'})
  })

  it('keep the order of a session that both write to', async () => {
    const ours = await receive(first, {text: 'one', channel: 'cli'})
    const theirs = await receive(second, {text: 'two', channel: 'cli'})
    expect([ours.turn.status, theirs.turn.status]).to.deep.equal(['running', 'queued'])
    release()
    expect(await second.engine.outcome(theirs.turn.id)).to.include({status: 'completed', reply: 'From the second.'})
    const asked = second.providers.test?.requests[0]?.messages.map(({content}) => JSON.stringify(content))
    expect(asked?.[0]).to.contain('one')
    expect(asked?.[1]).to.contain('From the first.')
    expect(asked?.[2]).to.contain('two')
  })

  it('stop each other’s turns', async () => {
    const {turn} = await receive(first, {text: 'hi', channel: 'cli'})
    expect(await second.engine.cancel(turn.id, 'dashboard')).to.include({status: 'cancelled'})
  })

  it('leave the turns of the living alone', async () => {
    await receive(first, {text: 'hi', channel: 'cli'})
    expect(await second.engine.recover()).to.equal(0)
    release()
  })

  it('hand on what they could not finish when they close', async () => {
    const {turn} = await receive(first, {text: 'hi', channel: 'cli'})
    await first.close(0)
    expect(await second.engine.recover()).to.equal(1)
    expect(await second.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'From the second.', takeovers: 0})
  })

  it('take over what a command left behind while a server runs', async () => {
    const server = await testApp({home: first.home, kind: 'serve', script: ['From the server.']})
    const {turn} = await receive(first, {text: 'hi', channel: 'cli'})
    await first.store.processes.remove(first.engine.owner)
    expect(await server.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'From the server.', takeovers: 1})
    await server.close(0)
  })

  it('forget the rows of those that were killed and left nothing', async () => {
    const gone = {
      id: 'gone',
      pid: 2 ** 22,
      startTime: '1',
      host: (await first.store.processes.get(first.engine.owner))?.host ?? '',
    }
    await first.store.processes.register({...gone, kind: 'command', leaseUntil: first.now().toISOString()}, () => true)
    await forgetOldTurns(first, new AbortController().signal)
    const left = (await first.store.processes.list()).map(({id}) => id)
    expect(left).to.have.members([first.engine.owner, second.engine.owner])
  })

  it('let only one of them be the server', async () => {
    const server = await testApp({home: first.home, kind: 'serve'})
    const refused = await testApp({home: first.home, kind: 'serve'}).catch((error: unknown) => error)
    expect(refused).to.have.property('code', 'conflict')
    await server.close(0)
    await (await testApp({home: first.home, kind: 'serve'})).close(0)
  })
})

async function collect(app: TestApp, turnId: string) {
  const events = []
  for await (const event of app.engine.watch(turnId)) events.push(event)
  return events
}
