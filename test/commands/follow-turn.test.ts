import {expect} from 'chai'
import * as z from 'zod'
import {finishTakenOver} from '../../src/cli/finish-taken-over.js'
import {followTurn} from '../../src/cli/follow-turn.js'
import {failureOf, reportTurn} from '../../src/cli/turn-report.js'
import {receive} from '../../src/core/agent/receive.js'
import type {Turn} from '../../src/core/agent/turn.js'
import {tool} from '../../src/core/tools/tool.js'
import {type TestApp, testApp} from '../support/app.js'

const risky = tool({
  name: 'risky',
  description: 'Asks first.',
  input: z.object({}),
  idempotent: false,
  risk: () => ({level: 'ask', reason: 'It writes.'}),
  run: async () => 'done',
})

describe('a turn that asks its owner', () => {
  let app: TestApp
  let turn: Turn

  beforeEach(async () => {
    app = await testApp({tools: [risky], script: [{text: 'May I?', calls: [{name: 'risky'}, {name: 'risky'}]}]})
    turn = (await receive(app, {text: 'do it', channel: 'cli'})).turn
  })
  afterEach(() => app.close(0))

  const never = new AbortController().signal

  it('is followed to its questions, all of them', async () => {
    const types: string[] = []
    for await (const {type} of followTurn(app, turn.id, never)) types.push(type)
    expect(types).to.deep.equal(['turn.started', 'text.delta', 'approval.requested', 'approval.requested'])
  })

  it('is reported with its questions, and with how to answer them', async () => {
    const asking = await app.engine.outcome(turn.id)
    if (asking.status !== 'awaiting-approval') throw new Error(`The turn is ${asking.status}.`)
    const [first, second] = asking.approvals
    expect(await reportTurn(app, asking)).to.deep.equal({
      turnId: turn.id,
      sessionId: 'main',
      model: 'test/model',
      status: 'awaiting-approval',
      approvals: [first, second],
    })
    const failure = await failureOf(app, asking)
    expect(failure).to.include({code: 'awaiting-approval', hint: `svc turns show ${turn.id}`})
    expect(failure?.cause).to.have.property('message', `${first}: risky (It writes.)\n${second}: risky (It writes.)`)
  })

  it('keeps no command waiting that took over other turns', async () => {
    await app.engine.outcome(turn.id)
    await receive(app, {text: 'and then?', channel: 'cli'})
    await finishTakenOver(app, {say: (text) => expect.fail(text), stop: never})
  })
})
