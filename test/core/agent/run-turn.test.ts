import {expect} from 'chai'
import {z} from 'zod'
import {receive} from '../../../src/core/agent/receive.js'
import {ProviderFailure} from '../../../src/core/models/provider.js'
import {type Tool, tool} from '../../../src/core/tools/tool.js'
import {eventsOf, send, sendToEnd, type TestApp, testApp, typesOf} from '../../support/app.js'

const failure = (
  code: ConstructorParameters<typeof ProviderFailure>[0],
  more: Partial<ConstructorParameters<typeof ProviderFailure>[2]> = {},
) => new ProviderFailure(code, `It says ${code}.`, {retryable: false, ...more})

/** A tool that notes what it was asked, so that a test sees every side effect. */
function recorder(over: Partial<Tool> = {}) {
  const seen: unknown[] = []
  return {
    seen,
    tool: tool({
      name: 'note',
      description: 'Takes a note.',
      input: z.object({text: z.string()}),
      idempotent: false,
      risk: () => ({level: 'safe'}),
      async run(input) {
        seen.push(input)
        return `noted ${(input as {text: string}).text}`
      },
      ...over,
    } as Tool),
  }
}

const callNote = (text: string) => ({name: 'note', input: {text}})

describe('A turn', () => {
  let app: TestApp
  afterEach(() => app?.close(0))

  it('streams its text and ends with the reply, its usage and its cost', async () => {
    app = await testApp({script: [{text: ['Hel', 'lo.'], usage: {inputTokens: 7, outputTokens: 3, cachedTokens: 4}}]})
    const turn = await sendToEnd(app, 'hi')
    expect(turn).to.deep.include({
      status: 'completed',
      reply: 'Hello.',
      usage: {inputTokens: 7, outputTokens: 3, cachedTokens: 4, costUsd: 0.01},
    })
    const events = await eventsOf(app, turn.id)
    expect(typesOf(events)).to.deep.equal(['turn.started', 'text.delta', 'turn.completed'])
  })

  it('runs the tools the model asks for and gives it their results', async () => {
    const {tool: note, seen} = recorder()
    app = await testApp({tools: [note], script: [{text: 'One moment.', calls: [callNote('a'), callNote('b')]}, 'Done.']})
    const turn = await sendToEnd(app, 'note a and b')
    expect(turn).to.include({status: 'completed', reply: 'Done.'})
    expect(seen).to.deep.equal([{text: 'a'}, {text: 'b'}])
    const second = app.providers.test?.requests[1]
    expect(second?.messages.map(({role}) => role)).to.deep.equal(['user', 'assistant', 'tool'])
    expect(JSON.stringify(second?.messages.at(-1)))
      .to.contain('noted a')
      .and.to.contain('noted b')
    expect((await app.store.turns.calls(turn.id)).map(({status}) => status)).to.deep.equal(['done', 'done'])
  })

  it('tells the model about a tool that failed, is unknown, or got input that does not fit', async () => {
    const {tool: note} = recorder({
      run: async () => {
        throw new Error('The disk is on fire.')
      },
    })
    const calls = [callNote('a'), {name: 'nope'}, {name: 'note', input: {text: 7}}, {...callNote('x'), invalid: 'not JSON'}]
    app = await testApp({tools: [note], script: [{calls}, 'I see.']})
    const turn = await sendToEnd(app, 'go')
    expect((await app.store.turns.calls(turn.id)).map(({status}) => status)).to.deep.equal([
      'failed',
      'invalid',
      'invalid',
      'invalid',
    ])
    const results = JSON.stringify(app.providers.test?.requests[1]?.messages.at(-1))
    for (const words of ['on fire', 'There is no tool nope', 'text', 'not JSON']) expect(results).to.contain(words)
  })

  it('sends the conversation so far with the next message', async () => {
    app = await testApp({script: ['Hello.', 'Again.']})
    await sendToEnd(app, 'one')
    await sendToEnd(app, 'two')
    expect(app.providers.test?.requests[1]?.messages.map(({content}) => content)).to.have.length(3)
  })

  it('waits its turn in its session, while other sessions go on', async () => {
    const gate = Promise.withResolvers<void>()
    app = await testApp({
      script: ({messages}) => (JSON.stringify(messages.at(-1)).includes('slow') ? {text: 'slow', until: gate.promise} : 'fast'),
    })
    const slow = await receive(app, {text: 'slow', channel: 'cli'})
    const behind = await receive(app, {text: 'behind', channel: 'cli'})
    const beside = await sendToEnd(app, 'beside', {session: 'new'})
    expect(beside.status).to.equal('completed')
    expect((await app.store.turns.get(behind.turn.id))?.status).to.equal('queued')
    gate.resolve()
    const [first, second] = [await app.engine.outcome(slow.turn.id), await app.engine.outcome(behind.turn.id)]
    expect([first.status, second.status]).to.deep.equal(['completed', 'completed'])
    expect('startedAt' in second && 'finishedAt' in first && second.startedAt && second.startedAt >= first.finishedAt).to.equal(
      true,
    )
  })

  describe('when the provider fails', () => {
    it('tries again after a fault that may pass, and takes back what was shown', async () => {
      app = await testApp({
        script: [{text: 'Hal', end: 'cut'}, {end: 'fail', failure: failure('provider-unavailable', {retryable: true})}, 'Hello.'],
      })
      const turn = await sendToEnd(app, 'hi')
      expect(turn).to.include({status: 'completed', reply: 'Hello.'})
      const events = await eventsOf(app, turn.id)
      expect(typesOf(events).filter((type) => type !== 'text.delta')).to.deep.equal([
        'turn.started',
        'turn.retrying',
        'text.reset',
        'turn.retrying',
        'turn.completed',
      ])
    })

    it('gives up after four retries', async () => {
      app = await testApp({script: () => ({end: 'fail', failure: failure('provider-rate-limit', {retryable: true})})})
      const turn = await sendToEnd(app, 'hi')
      expect(turn).to.have.nested.property('error.code', 'provider-rate-limit')
      expect(app.providers.test?.requests).to.have.length(5)
    })

    for (const code of ['provider-auth', 'provider-quota', 'model-not-found'] as const) {
      it(`never repeats ${code}`, async () => {
        app = await testApp({script: [{end: 'fail', failure: failure(code)}]})
        expect(await sendToEnd(app, 'hi')).to.deep.include({status: 'failed', error: {code, detail: `It says ${code}.`}})
        expect(app.providers.test?.requests).to.have.length(1)
      })
    }

    it('waits as long as Retry-After says, unless that is too long to wait', async () => {
      const wait = (retryAfterMs: number) => ({
        end: 'fail' as const,
        failure: failure('provider-rate-limit', {retryable: true, retryAfterMs}),
      })
      app = await testApp({script: [wait(30), 'Hello.', wait(600_000)]})
      const patient = await sendToEnd(app, 'hi')
      expect((await eventsOf(app, patient.id)).find(({type}) => type === 'turn.retrying')).to.include({delayMs: 30})
      expect((await sendToEnd(app, 'hi')).status).to.equal('failed')
    })

    it("goes on with the agent's fallback models and stays with the one that answers", async () => {
      const {tool: note} = recorder()
      app = await testApp({
        tools: [note],
        config: {agents: {list: {assistant: {fallbacks: ['second/model', 'third/model']}}}},
        scripts: {
          first: [{end: 'fail', failure: failure('provider-quota')}],
          second: [{end: 'fail', failure: failure('provider-auth')}],
          third: [{calls: [callNote('a')]}, 'Hello.'],
        },
      })
      const turn = await sendToEnd(app, 'hi')
      expect(turn).to.include({status: 'completed', reply: 'Hello.', model: 'third/model'})
      expect(app.providers.first?.requests).to.have.length(1)
    })

    it('asks again without tools when the model takes none', async () => {
      const {tool: note} = recorder()
      const refuses = {end: 'fail' as const, failure: failure('provider-unavailable', {toolsRejected: true})}
      app = await testApp({tools: [note], script: [refuses, 'Hello.']})
      expect(await sendToEnd(app, 'hi')).to.include({status: 'completed', reply: 'Hello.'})
      expect(app.providers.test?.requests.map(({tools}) => tools.length)).to.deep.equal([1, 0])
    })

    it('never runs a tool of a stream that was cut', async () => {
      const {tool: note, seen} = recorder()
      app = await testApp({tools: [note], script: [{text: 'x', end: 'cut'}, 'Hello.']})
      await sendToEnd(app, 'hi')
      expect(seen).to.deep.equal([])
    })

    it('ends a stall within its deadline', async () => {
      app = await testApp({script: () => ({text: 'Hm', end: 'stall'})})
      const turn = await sendToEnd(app, 'hi')
      expect(turn).to.have.nested.property('error.code', 'provider-timeout')
      expect((await app.store.sessions.history('main', 1)).messages.at(-1)).to.deep.include({partial: true})
    })
  })

  describe('within its limits', () => {
    const always = (text: (n: number) => string) => (_request: unknown, n: number) => ({
      calls: [callNote(text(n))],
      usage: {inputTokens: 100},
    })

    it('stops after the tool rounds it may make', async () => {
      const {tool: note, seen} = recorder()
      app = await testApp({tools: [note], config: {budgets: {toolRounds: 4}}, script: always((n) => String(n))})
      expect(await sendToEnd(app, 'go')).to.have.nested.property('error.code', 'loop-limit')
      expect(seen).to.have.length(4)
    })

    it('stops before the third identical call in a row', async () => {
      const {tool: note, seen} = recorder()
      app = await testApp({tools: [note], script: always(() => 'same')})
      expect(await sendToEnd(app, 'go')).to.have.nested.property('error.code', 'loop-limit')
      expect(seen).to.have.length(2)
    })

    for (const [key, value] of Object.entries({perTurnTokens: 250, perTurnUsd: 0.25, perDayUsd: 0.25})) {
      it(`stops at budgets.${key}`, async () => {
        const {tool: note, seen} = recorder()
        app = await testApp({tools: [note], config: {budgets: {[key]: value}}, script: always((n) => String(n))})
        const turn = await sendToEnd(app, 'go')
        expect(turn).to.have.nested.property('error.code', 'budget-exceeded')
        expect(turn).to.have.nested.property('error.detail').that.contains(`budgets.${key}`)
        expect(seen).to.have.length(3)
      })
    }

    it('does not start a model of unknown price under a budget in dollars', async () => {
      app = await testApp({config: {budgets: {perDayUsd: 1}}, priced: false, script: ['never']})
      expect(await sendToEnd(app, 'go'))
        .to.have.nested.property('error.detail')
        .that.contains('price of test/model')
      expect(app.providers.test?.requests).to.deep.equal([])
    })

    it('stops at its wall clock', async () => {
      app = await testApp({config: {budgets: {turnMinutes: 0.001}}, script: [{until: new Promise(() => undefined)}]})
      expect(await sendToEnd(app, 'go')).to.have.nested.property('error.code', 'budget-exceeded')
    })
  })

  describe('when it is cancelled', () => {
    it('keeps the text that was shown, marked as partial', async () => {
      app = await testApp({script: [{text: 'Half a', end: 'stall'}, 'Next.']})
      const {turn} = await receive(app, {text: 'hi', channel: 'cli'})
      for await (const event of app.engine.watch(turn.id)) if (event.type === 'text.delta') break
      expect(await app.engine.cancel(turn.id, 'cli')).to.include({status: 'cancelled', partial: 'Half a'})
      await sendToEnd(app, 'next')
      expect(JSON.stringify(app.providers.test?.requests[1]?.messages)).to.contain('Half a').and.to.contain('broke off')
    })

    it('stops a running tool and tells the history so', async () => {
      const started = Promise.withResolvers<void>()
      const {tool: note} = recorder({
        run: (_input, {signal}) =>
          new Promise((_, reject) => {
            started.resolve()
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      })
      app = await testApp({tools: [note], script: [{calls: [callNote('a')]}, 'Next.']})
      const {turn} = await receive(app, {text: 'hi', channel: 'cli'})
      await started.promise
      expect((await app.engine.cancel(turn.id, 'cli')).status).to.equal('cancelled')
      expect((await app.store.turns.calls(turn.id))[0]?.status).to.equal('cancelled')
      expect((await sendToEnd(app, 'next')).status).to.equal('completed')
      expect(app.providers.test?.requests[1]?.messages.map(({role}) => role)).to.deep.equal(['user', 'assistant', 'tool', 'user'])
    })

    it('lets the next turn of the session go on when it was only queued', async () => {
      const gate = Promise.withResolvers<void>()
      app = await testApp({script: [{text: 'one', until: gate.promise}, 'three']})
      const one = await receive(app, {text: 'one', channel: 'cli'})
      const two = await receive(app, {text: 'two', channel: 'cli'})
      const three = await receive(app, {text: 'three', channel: 'cli'})
      expect((await app.engine.cancel(two.turn.id, 'cli')).status).to.equal('cancelled')
      gate.resolve()
      await app.engine.outcome(one.turn.id)
      expect(await app.engine.outcome(three.turn.id)).to.include({status: 'completed', reply: 'three'})
    })
  })

  describe('that needs an approval', () => {
    const asking = () => recorder({risk: () => ({level: 'ask', reason: 'It writes.'})})
    const decide = async (status: 'approved' | 'denied') => {
      const [approval] = (await app.store.approvals.list({limit: 1, status: 'pending'})).items
      if (approval?.status !== 'pending') throw new Error('Nothing is pending.')
      await app.store.approvals.settle({...approval, status, decidedAt: app.now().toISOString(), decidedBy: 'cli'})
      app.engine.wake()
    }

    it('waits without running anything, then runs what was approved', async () => {
      const {tool: note, seen} = asking()
      app = await testApp({tools: [note], script: [{calls: [callNote('a')]}, 'Done.']})
      const turn = await send(app, 'go')
      expect(turn.status).to.equal('awaiting-approval')
      expect(seen).to.deep.equal([])
      await decide('approved')
      expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Done.'})
      expect(seen).to.deep.equal([{text: 'a'}])
      expect(typesOf(await eventsOf(app, turn.id))).to.include.members(['approval.requested', 'approval.decided'])
    })

    it('tells the model when it was denied', async () => {
      const {tool: note, seen} = asking()
      app = await testApp({tools: [note], script: [{calls: [callNote('a')]}, 'A pity.']})
      const turn = await send(app, 'go')
      await decide('denied')
      expect(await app.engine.outcome(turn.id)).to.include({status: 'completed'})
      expect(seen).to.deep.equal([])
      expect(JSON.stringify(app.providers.test?.requests[1]?.messages.at(-1))).to.contain('denied')
    })

    it('survives a restart while it waits', async () => {
      const {tool: note, seen} = asking()
      const before = await testApp({tools: [note], script: [{calls: [callNote('a')]}]})
      const turn = await send(before, 'go')
      await before.close(0)
      app = await testApp({home: before.home, tools: [note], script: ['Done.']})
      expect(await app.engine.recover()).to.equal(1)
      await decide('approved')
      expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Done.'})
      expect(seen).to.deep.equal([{text: 'a'}])
    })

    it('expires', async () => {
      const {tool: note, seen} = asking()
      app = await testApp({
        tools: [note],
        config: {approvals: {expireMinutes: 0.001}},
        script: [{calls: [callNote('a')]}, 'Too late.'],
      })
      const {turn} = await receive(app, {text: 'go', channel: 'cli'})
      for await (const event of app.engine.watch(turn.id))
        if (event.type === 'approval.decided') expect(event.decision).to.equal('expired')
      expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Too late.'})
      expect(seen).to.deep.equal([])
    })

    it('is refused where nobody is there to answer, when the owner says so', async () => {
      const {tool: note, seen} = asking()
      app = await testApp({
        tools: [note],
        config: {approvals: {unattended: 'deny'}},
        script: [{calls: [callNote('a')]}, 'A pity.'],
      })
      expect((await send(app, 'go', {channel: 'gateway'})).status).to.equal('completed')
      expect(seen).to.deep.equal([])
    })

    it('lets no later call of the same step overtake it', async () => {
      const {tool: note, seen} = recorder({
        risk: (input) => ((input as {text: string}).text === 'risky' ? {level: 'ask', reason: 'It is risky.'} : {level: 'safe'}),
      })
      app = await testApp({tools: [note], script: [{calls: [callNote('one'), callNote('risky'), callNote('two')]}, 'Done.']})
      const turn = await send(app, 'go')
      expect(seen).to.deep.equal([{text: 'one'}])
      await decide('approved')
      await app.engine.outcome(turn.id)
      expect(seen).to.deep.equal([{text: 'one'}, {text: 'risky'}, {text: 'two'}])
    })
  })

  it('never runs what is forbidden', async () => {
    const {tool: note, seen} = recorder({risk: () => ({level: 'forbidden', reason: 'No.'})})
    app = await testApp({tools: [note], script: [{calls: [callNote('a')]}, 'A pity.']})
    expect((await send(app, 'go')).status).to.equal('completed')
    expect(seen).to.deep.equal([])
  })

  describe('whose process dies', () => {
    /** What a killed process leaves: nothing is drained, released or told. */
    const abandon = async (dying: TestApp) => {
      await dying.store.processes.remove(dying.engine.owner)
    }

    it('is taken over, its step made again, what was shown taken back', async () => {
      const before = await testApp({script: [{text: 'Half', end: 'stall'}]})
      const {turn} = await receive(before, {text: 'hi', channel: 'cli'})
      for await (const event of before.engine.watch(turn.id)) if (event.type === 'text.delta') break
      await abandon(before)
      app = await testApp({home: before.home, script: ['Hello.']})
      expect(await app.engine.recover()).to.equal(1)
      expect(await app.engine.outcome(turn.id)).to.include({status: 'completed', reply: 'Hello.', takeovers: 1})
      expect(typesOf(await eventsOf(app, turn.id))).to.deep.equal([
        'turn.started',
        'text.delta',
        'turn.retrying',
        'text.reset',
        'text.delta',
        'turn.completed',
      ])
      await before.close(0)
    })

    for (const [idempotent, runs, status] of [
      [false, 1, 'interrupted'],
      [true, 2, 'done'],
    ] as const) {
      it(`${idempotent ? 'runs an idempotent tool again' : 'never runs a tool of unknown outcome again, and tells the model so'}`, async () => {
        let started = 0
        const hanging = Promise.withResolvers<void>()
        const {tool: note} = recorder({
          idempotent,
          run: async () => {
            if (++started > 1) return 'ok'
            hanging.resolve()
            return new Promise(() => undefined)
          },
        })
        const before = await testApp({tools: [note], script: [{calls: [callNote('a')]}]})
        const {turn} = await receive(before, {text: 'hi', channel: 'cli'})
        await hanging.promise
        await abandon(before)
        app = await testApp({home: before.home, tools: [note], script: ['I looked.']})
        await app.engine.recover()
        expect(await app.engine.outcome(turn.id)).to.include({status: 'completed'})
        expect(started).to.equal(runs)
        expect((await app.store.turns.calls(turn.id))[0]?.status).to.equal(status)
        if (!idempotent) expect(JSON.stringify(app.providers.test?.requests[0]?.messages.at(-1))).to.contain('unknown')
        await before.close(0)
      })
    }
  })

  it('compacts a history that no longer fits, with a summary by the model, and keeps the originals', async () => {
    const long = 'word '.repeat(3000)
    app = await testApp({
      facts: {contextWindow: 16_000, maxOutput: 1000},
      script: ({system}) =>
        system.includes('summary') ? {text: 'They wrote many words.', usage: {inputTokens: 50}} : {text: 'ok'},
    })
    for (let n = 0; n < 4; n++) await sendToEnd(app, `${n} ${long}`)
    const last = app.providers.test?.requests.at(-1)
    expect(JSON.stringify(last?.messages[0])).to.contain('They wrote many words.')
    expect(JSON.stringify(last?.messages).length).to.be.below(16_000 * 3.5)
    expect((await app.store.sessions.messages('main', {limit: 50})).items).to.have.length(8)
  })

  it('goes on without the older part when the model refuses to summarise it, and tries again the next time', async () => {
    const long = 'word '.repeat(3000)
    const refusal = {end: 'fail' as const, failure: failure('empty-reply')}
    app = await testApp({
      facts: {contextWindow: 16_000, maxOutput: 1000},
      script: ({system}) => (system.includes('summary') ? refusal : {text: 'ok'}),
    })
    for (let n = 0; n < 4; n++) expect((await sendToEnd(app, `${n} ${long}`)).status).to.equal('completed')
    const last = app.providers.test?.requests.at(-1)
    expect(JSON.stringify(last?.messages[0])).to.contain('left out')
    expect((await app.store.sessions.history('main', 4)).summary).to.equal(null)
  })

  it('is found by its key even when its agent and model are gone', async () => {
    const idempotency = {scope: 'gateway', key: 'k', bodyHash: 'h'}
    app = await testApp({script: ['Hello.']})
    const {id} = await sendToEnd(app, 'hi', {idempotency})
    const again = await receive(app, {text: 'hi', channel: 'cli', agent: 'gone', model: 'gone', idempotency})
    expect([again.replayed, again.turn.id]).to.deep.equal([true, id])
  })

  it('says when a message alone does not fit the model', async () => {
    app = await testApp({facts: {contextWindow: 2000, maxOutput: 500}, script: ['never']})
    expect(await sendToEnd(app, 'word '.repeat(5000))).to.have.nested.property('error.code', 'context-too-long')
  })

  it('sends no tool field for an agent without tools', async () => {
    app = await testApp({config: {agents: {list: {assistant: {tools: []}}}}, script: ['Hello.']})
    await sendToEnd(app, 'hi')
    expect(app.providers.test?.requests[0]?.tools).to.deep.equal([])
  })
})
