import {expect} from 'chai'
import {SvcError} from '../../../src/core/errors.js'
import {LostTurn, type NewTurn, type Store, type TurnClaim} from '../../../src/core/store/store.js'

const limits = {concurrency: 2, queue: 3}
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 2, 12, 0, seconds)).toISOString()
const step = {
  step: 1,
  model: 'test/model',
  usage: {inputTokens: 10, outputTokens: 5, cachedTokens: 2, costUsd: 0.5},
  durationMs: 3,
  firstTokenMs: 1,
}

let ids = 0
const newTurn = (over: Partial<NewTurn> = {}): NewTurn => ({
  id: `t${++ids}`,
  sessionId: 'main',
  agentId: 'assistant',
  channel: 'cli',
  model: 'test/model',
  message: 'hello',
  title: 'A title',
  owner: 'me',
  at: at(0),
  ...over,
})

const failureOf = async (work: Promise<unknown>): Promise<SvcError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof SvcError) return error
  throw new Error(`Expected an SvcError, got ${String(error)}.`)
}

/** What every store must do; runs against each backend. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    const accept = async (over: Partial<NewTurn> = {}) => (await store.turns.accept(newTurn(over), limits)).turn
    const claim = async (over: Partial<NewTurn> = {}) => {
      const turn = await accept(over)
      if (turn.status !== 'running') throw new Error(`The turn is ${turn.status}.`)
      return turn
    }
    const complete = (turn: TurnClaim, reply = 'hi') =>
      store.turns.finish(
        turn,
        {status: 'completed', reply, messages: [{role: 'assistant', content: reply}], step},
        [{type: 'text.delta', text: reply}],
        at(9),
      )

    describe('accepting', () => {
      it('runs the first turn of a session at once and queues the next behind it', async () => {
        const first = await accept()
        const second = await accept()
        expect([first.status, first.number, second.status, second.number]).to.deep.equal(['running', 1, 'queued', 2])
      })

      it('runs sessions beside each other up to the limit', async () => {
        const turns = [await accept({sessionId: 'a'}), await accept({sessionId: 'b'}), await accept({sessionId: 'c'})]
        expect(turns.map((turn) => turn.status)).to.deep.equal(['running', 'running', 'queued'])
        expect(await store.turns.counts()).to.deep.equal({running: 2, queued: 1, awaiting: 0})
      })

      it('refuses with busy when the queue is full, and keeps nothing of it', async () => {
        for (let n = 0; n < 4; n++) await accept()
        const failure = await failureOf(accept())
        expect(failure).to.include({code: 'busy', retryAfter: 2})
        expect((await store.turns.list({limit: 50})).items).to.have.length(4)
      })

      it('never starts a second turn for an idempotency key, and refuses the key with another body', async () => {
        const idempotency = {scope: 'gateway', key: 'k', bodyHash: 'h'}
        const first = await store.turns.accept(newTurn({idempotency}), limits)
        const repeat = await store.turns.accept(newTurn({idempotency}), limits)
        const other = await failureOf(store.turns.accept(newTurn({idempotency: {...idempotency, bodyHash: 'x'}}), limits))
        const elsewhere = await store.turns.accept(newTurn({idempotency: {...idempotency, scope: 'dashboard'}}), limits)
        expect(repeat).to.deep.equal({turn: first.turn, replayed: true})
        expect(other.code).to.equal('conflict')
        expect(elsewhere.replayed).to.equal(false)
      })

      it('forgets an idempotency key after 24 hours', async () => {
        const idempotency = {scope: 'gateway', key: 'k', bodyHash: 'h'}
        await store.turns.accept(newTurn({idempotency}), limits)
        const nextDay = new Date(Date.parse(at(0)) + 24 * 3600_000 + 1).toISOString()
        const later = await store.turns.accept(newTurn({idempotency, at: nextDay}), limits)
        expect(later.replayed).to.equal(false)
      })

      it("refuses another agent's session", async () => {
        await accept()
        expect((await failureOf(accept({agentId: 'other'}))).code).to.equal('invalid-input')
      })
    })

    describe('claiming', () => {
      it('gives the next turn of a session only when the one before has ended', async () => {
        const first = await claim()
        const second = await accept()
        expect(await store.turns.claimNext('me', limits, at(1))).to.equal(undefined)
        await complete(first)
        expect(await store.turns.claimNext('me', limits, at(2))).to.include({id: second.id, status: 'running', startedAt: at(2)})
        expect(await store.turns.claimNext('me', limits, at(3))).to.equal(undefined)
      })

      it("leaves other owners' turns alone", async () => {
        const first = await claim()
        await accept({owner: 'other'})
        await complete(first)
        expect(await store.turns.claimNext('me', limits, at(1))).to.equal(undefined)
        expect(await store.turns.hasWaiting('other')).to.equal(true)
      })

      it('refuses writes of a holder that lost the turn', async () => {
        const turn = await claim()
        await store.turns.takeOver(['me'], 'other', at(1))
        const lost = await Promise.allSettled([
          complete(turn),
          store.events.append(turn, [{type: 'text.delta', text: 'x'}], at(1)),
          store.turns.addStep(turn, step, {messages: [], calls: []}, [], at(1)),
          store.turns.park(turn),
        ])
        expect(lost.map((result) => result.status === 'rejected' && result.reason instanceof LostTurn)).to.deep.equal([
          true,
          true,
          true,
          true,
        ])
      })
    })

    describe('taking over', () => {
      it('queues a running turn again, three times, and then ends it as interrupted', async () => {
        const {id} = await claim({owner: 'p0'})
        for (let n = 1; n <= 3; n++) {
          expect(await store.turns.takeOver([`p${n - 1}`], `p${n}`, at(n))).to.equal(1)
          expect(await store.turns.claimNext(`p${n}`, limits, at(n))).to.include({id, takeovers: n})
        }
        await store.turns.takeOver(['p3'], 'p4', at(5))
        const end = await store.turns.get(id)
        expect(end).to.include({status: 'interrupted'})
        expect(end).to.have.nested.property('error.code', 'interrupted')
      })

      it('does not count a turn that only waited', async () => {
        const first = await claim({owner: 'dead'})
        const second = await accept({owner: 'dead'})
        await store.turns.takeOver(['dead'], 'me', at(1))
        expect([(await store.turns.get(first.id))?.takeovers, (await store.turns.get(second.id))?.takeovers]).to.deep.equal([
          1, 0,
        ])
      })

      it('hands released turns on without counting', async () => {
        const {id} = await claim()
        await store.turns.release('me')
        expect(await store.turns.ownersOfUnfinished()).to.deep.equal([null])
        await store.turns.takeOver([null], 'other', at(1))
        expect(await store.turns.claimNext('other', limits, at(1))).to.include({id, takeovers: 0})
      })
    })

    describe('the journal', () => {
      const call = {id: 'c1', name: 'time', input: {zone: 'UTC'}}

      it('keeps calls in order through their states, invalid ones ended from the start', async () => {
        const turn = await claim()
        const calls = await store.turns.addStep(
          turn,
          step,
          {messages: [], calls: [call, {...call, id: 'c2', invalid: 'not JSON'}]},
          [],
          at(1),
        )
        expect(calls.map(({status, providerCallId}) => [status, providerCallId])).to.deep.equal([
          ['pending', 'c1'],
          ['invalid', 'c2'],
        ])
        const [{id}] = calls as unknown as [{id: string}]
        await store.turns.startCall(turn, id, at(2))
        expect((await store.turns.calls(turn.id))[0]).to.include({status: 'running', startedAt: at(2)})
        await store.turns.finishCall(turn, id, {status: 'done', output: {type: 'text', value: 'noon'}}, at(3))
        expect((await store.turns.calls(turn.id))[0]).to.deep.include({status: 'done', output: {type: 'text', value: 'noon'}})
      })

      it('waits for an approval without a worker, and goes on when it is answered', async () => {
        const turn = await claim()
        const [{id: callId}] = (await store.turns.addStep(turn, step, {messages: [], calls: [call]}, [], at(1))) as unknown as [
          {id: string},
        ]
        const approval = {
          id: 'a1',
          turnId: turn.id,
          sessionId: 'main',
          callId,
          name: 'time',
          input: {},
          reason: 'test',
          askedAt: at(1),
          expiresAt: at(30),
        }
        await store.turns.askFor(turn, {...approval, status: 'pending'})
        await store.turns.park(turn)
        expect(await store.turns.get(turn.id)).to.deep.include({status: 'awaiting-approval', approvals: ['a1']})
        expect(await store.turns.counts()).to.deep.equal({running: 0, queued: 0, awaiting: 1})
        expect(await store.turns.claimNext('me', limits, at(2))).to.equal(undefined)

        const decided = {...approval, status: 'approved' as const, decidedAt: at(3), decidedBy: 'cli'}
        expect(await store.approvals.settle(decided)).to.equal(true)
        expect(await store.approvals.settle({...decided, status: 'denied'})).to.equal(false)
        expect(await store.turns.claimNext('me', limits, at(4))).to.include({id: turn.id, status: 'running'})
        expect((await store.turns.calls(turn.id))[0]?.status).to.equal('approved')
      })

      it('expires an approval at its time, and refuses a late answer', async () => {
        const turn = await claim()
        const [{id: callId}] = (await store.turns.addStep(turn, step, {messages: [], calls: [call]}, [], at(1))) as unknown as [
          {id: string},
        ]
        const approval = {
          id: 'a1',
          turnId: turn.id,
          sessionId: 'main',
          callId,
          name: 'time',
          input: {},
          reason: 'test',
          askedAt: at(1),
          expiresAt: at(30),
        }
        await store.turns.askFor(turn, {...approval, status: 'pending'})
        expect(await store.approvals.settle({...approval, status: 'approved', decidedAt: at(31), decidedBy: 'cli'})).to.equal(
          false,
        )
        expect(await store.approvals.expire(at(29))).to.deep.equal([])
        expect(await store.approvals.expire(at(30))).to.deep.equal([turn.id])
        expect((await store.approvals.get('a1'))?.status).to.equal('expired')
        expect((await store.turns.calls(turn.id))[0]?.status).to.equal('expired')
      })
    })

    describe('ending', () => {
      it('commits reply, usage, history and last event together', async () => {
        const turn = await claim()
        await complete(turn, 'hi there')
        expect(await store.turns.get(turn.id)).to.deep.include({
          status: 'completed',
          reply: 'hi there',
          owner: null,
          usage: step.usage,
        })
        const {messages} = await store.sessions.history('main', 1)
        expect(messages.map(({message}) => message)).to.deep.equal([
          {role: 'user', content: 'hello'},
          {role: 'assistant', content: 'hi there'},
        ])
        const events = await store.events.ofTurn(turn.id, 0, 10)
        expect(events.map(({seq, type}) => [seq, type])).to.deep.equal([
          [1, 'turn.started'],
          [2, 'text.delta'],
          [3, 'turn.completed'],
        ])
      })

      it('ends only once', async () => {
        const turn = await claim()
        await complete(turn)
        const again = await complete(turn).catch((error: unknown) => error)
        expect(again).to.be.instanceOf(LostTurn)
      })

      it('cancels a queued turn at once and a running one through its owner', async () => {
        const running = await claim()
        const queued = await accept()
        expect((await store.turns.requestCancel(queued.id, 'cli', at(1))).status).to.equal('cancelled')
        expect((await store.turns.requestCancel(running.id, 'cli', at(1))).status).to.equal('running')
        expect(await store.turns.cancelRequested(running.id)).to.equal(true)
        await store.turns.finish(running, {status: 'cancelled', partial: 'half a'}, [], at(2))
        expect((await failureOf(store.turns.requestCancel(running.id, 'cli', at(3)))).code).to.equal('conflict')
        expect((await failureOf(store.turns.requestCancel('none', 'cli', at(3)))).code).to.equal('not-found')
        const {messages} = await store.sessions.history('main', 2)
        expect(messages.map(({message, partial}) => [message.content, partial])).to.deep.equal([
          ['hello', false],
          ['half a', true],
          ['hello', false],
        ])
      })

      it('has an unknown cost as soon as one step has', async () => {
        const turn = await claim()
        await store.turns.addStep(turn, {...step, usage: {...step.usage, costUsd: null}}, {messages: [], calls: []}, [], at(1))
        await complete(turn)
        expect(await store.turns.get(turn.id)).to.have.deep.property('usage', {
          inputTokens: 20,
          outputTokens: 10,
          cachedTokens: 4,
          costUsd: null,
        })
      })
    })

    describe('events', () => {
      it('number each turn from 1 and the home without a gap', async () => {
        const a = await claim({sessionId: 'a'})
        const b = await claim({sessionId: 'b'})
        await store.events.append(
          a,
          [
            {type: 'text.delta', text: '1'},
            {type: 'text.delta', text: '2'},
          ],
          at(1),
        )
        await store.events.append(b, [{type: 'text.delta', text: '3'}], at(1))
        expect((await store.events.ofTurn(a.id, 1, 10)).map(({seq}) => seq)).to.deep.equal([2, 3])
        expect((await store.events.since(0, 10)).map(({id}) => id)).to.deep.equal([1, 2, 3, 4, 5])
        expect(await store.events.lastId()).to.equal(5)
      })

      it('tell listeners after the commit', async () => {
        const heard: string[] = []
        const stop = store.events.onAppend((turnId) => heard.push(turnId))
        const turn = await claim()
        await complete(turn)
        stop()
        await accept({sessionId: 'b'})
        expect(heard).to.deep.equal([turn.id, turn.id])
      })
    })

    describe('sessions', () => {
      it('keep the order of turns in the history, not that of arrival', async () => {
        const first = await claim({message: 'one'})
        await accept({message: 'two'})
        await complete(first, 'answer one')
        const ofFirst = await store.sessions.history('main', 1)
        const ofSecond = await store.sessions.history('main', 2)
        expect(ofFirst.messages.map(({message}) => message.content)).to.deep.equal(['one', 'answer one'])
        expect(ofSecond.messages.map(({message}) => message.content)).to.deep.equal(['one', 'answer one', 'two'])
      })

      it('start the history after the newest summary and keep the originals', async () => {
        await complete(await claim({message: 'one'}))
        await accept({message: 'two'})
        await store.sessions.addSummary('main', 1, 'They greeted.', at(1))
        const {summary, messages} = await store.sessions.history('main', 2)
        expect([summary, messages.map(({message}) => message.content)]).to.deep.equal(['They greeted.', ['two']])
        expect((await store.sessions.messages('main', {limit: 10})).items).to.have.length(3)
      })

      it('keep the title of their first turn', async () => {
        await accept({title: 'First'})
        await accept({title: 'Second'})
        expect((await store.sessions.get('main'))?.title).to.equal('First')
      })

      it('page newest first without losing or repeating one', async () => {
        for (let n = 0; n < 5; n++) await accept({sessionId: `s${n}`, at: at(n)}).catch(() => undefined)
        const first = await store.sessions.list({limit: 3})
        const second = await store.sessions.list({limit: 3, cursor: first.nextCursor ?? ''})
        expect([...first.items, ...second.items].map(({id}) => id)).to.deep.equal(['s4', 's3', 's2', 's1', 's0'])
        expect(second.nextCursor).to.equal(null)
        expect((await failureOf(store.sessions.list({limit: 3, cursor: 'x'}))).code).to.equal('invalid-input')
      })

      it('are found by all words, by phrases and without accents, newest first', async () => {
        await accept({sessionId: 'a', message: 'The café opens at noon'})
        await accept({sessionId: 'b', message: 'At noon the cafe is full'})
        const sessionsOf = async (query: string) =>
          (await store.sessions.search(query, {limit: 10})).items.map(({sessionId}) => sessionId)
        expect(await sessionsOf('noon CAFE')).to.deep.equal(['b', 'a'])
        expect(await sessionsOf('"opens at noon"')).to.deep.equal(['a'])
        expect(await sessionsOf('noon -cafe OR "')).to.deep.equal([])
        expect(await sessionsOf('NEAR(noon')).to.deep.equal([])
        for (const query of ['', '   ', '"', '* ( )'])
          expect((await failureOf(store.sessions.search(query, {limit: 1}))).code).to.equal('invalid-input')
      })
    })

    it('forgets finished turns of long ago and keeps their messages, and unfinished ones whole', async () => {
      const old = await claim({sessionId: 'a', idempotency: {scope: 's', key: 'k', bodyHash: 'h'}})
      await complete(old)
      const open = await claim({sessionId: 'b'})
      expect(await store.prune(at(9), at(10))).to.equal(0)
      expect(await store.prune(at(10), at(10))).to.equal(1)
      expect(await store.prune(at(10), at(10))).to.equal(0)
      expect([await store.turns.get(old.id), await store.events.ofTurn(old.id, 0, 9)]).to.deep.equal([undefined, []])
      expect((await store.turns.get(open.id))?.status).to.equal('running')
      expect((await store.sessions.messages('a', {limit: 9})).items).to.have.length(2)
      expect((await store.turns.accept(newTurn({sessionId: 'a'}), limits)).turn.number).to.equal(2)
    })

    it('chains the audit so that every entry covers the one before', async () => {
      await complete(await claim())
      const entries = (await store.audit.list({limit: 50})).items
      expect(entries.map(({action}) => action)).to.deep.equal(['turn.completed', 'model.called', 'turn.accepted'])
      expect(new Set(entries.map(({hash}) => hash)).size).to.equal(3)
    })

    it('lets one server hold the home, until it is dead', async () => {
      const record = {id: 'p1', pid: 1, startTime: '1', host: 'h', kind: 'serve' as const, leaseUntil: at(15)}
      await store.processes.register(record, () => true)
      expect((await failureOf(store.processes.register({...record, id: 'p2'}, () => true))).code).to.equal('conflict')
      await store.processes.register({...record, id: 'p3', kind: 'command'}, () => true)
      await store.processes.register({...record, id: 'p4'}, () => false)
    })

    it('remembers failed logins and locks', async () => {
      expect(await store.logins.addFailure('127.0.0.1', at(1), at(0))).to.equal(1)
      expect(await store.logins.addFailure('127.0.0.1', at(2), at(0))).to.equal(2)
      expect(await store.logins.addFailure('127.0.0.1', at(50), at(2))).to.equal(2)
      await store.logins.lock('127.0.0.1', at(59))
      expect([
        await store.logins.lockedUntil('127.0.0.1', at(58)),
        await store.logins.lockedUntil('127.0.0.1', at(59)),
      ]).to.deep.equal([at(59), undefined])
    })
  })
}
