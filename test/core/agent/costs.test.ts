import {expect} from 'chai'
import {ProviderFailure} from '../../../src/core/models/provider.js'
import type {Script} from '../../../src/core/testing/scripted-provider.js'
import {sendToEnd, type TestApp, testApp} from '../../support/app.js'

const isSummary = (system: string) => system.startsWith('Write a summary')

/** Answers everything, and asks for much money for its summaries. */
const costlySummaries: Script = ({system}) =>
  isSummary(system) ? {text: 'In short.', usage: {inputTokens: 5000}} : {text: 'ok', usage: {inputTokens: 1}}

describe('What a turn costs', () => {
  let app: TestApp
  afterEach(() => app?.close(0))

  it('counts replies that could not be used', async () => {
    const usage = {inputTokens: 1000, outputTokens: 500, cachedTokens: 0}
    const failure = new ProviderFailure('empty-reply', 'It said nothing.', {retryable: true, usage})
    app = await testApp({
      script: [
        {end: 'fail', failure},
        {text: 'ok', usage: {inputTokens: 10}},
      ],
    })
    expect(await sendToEnd(app, 'hi')).to.deep.include({usage: {...usage, inputTokens: 1010, costUsd: 1.51}})
  })

  it('ends the turn when such replies alone use up its budget', async () => {
    const usage = {inputTokens: 1000, outputTokens: 0, cachedTokens: 0}
    const failure = new ProviderFailure('empty-reply', 'It said nothing.', {retryable: true, usage})
    app = await testApp({config: {budgets: {perTurnUsd: 1.5}}, script: () => ({end: 'fail', failure})})
    const turn = await sendToEnd(app, 'hi')
    expect(turn).to.have.nested.property('error.code', 'budget-exceeded')
    expect(app.providers.test?.requests).to.have.length(2)
  })

  it('ends the turn when its summary used up the budget', async () => {
    app = await testApp({facts: {contextWindow: 9000}, config: {budgets: {perTurnUsd: 1}}, script: costlySummaries})
    const long = 'word '.repeat(1500)
    expect(await sendToEnd(app, long)).to.include({status: 'completed'})
    expect(await sendToEnd(app, long)).to.include({status: 'completed'})
    expect(await sendToEnd(app, long)).to.have.nested.property('error.code', 'budget-exceeded')
    expect(app.providers.test?.requests.filter(({system}) => isSummary(system))).to.have.length(1)
  })

  it('is never paid to a fallback whose price nobody knows, under a budget in US dollars', async () => {
    const failure = new ProviderFailure('provider-unavailable', 'It is down.', {retryable: false})
    app = await testApp({
      config: {budgets: {perDayUsd: 1}, agents: {list: {assistant: {model: 'first/model', fallbacks: ['second/model']}}}},
      scripts: {first: () => ({end: 'fail', failure}), second: () => 'Dear.'},
    })
    const price = app.models.price.bind(app.models)
    app.models.price = async (model, usage, at) => ({
      ...(await price(model, usage, at)),
      ...(model.provider === 'second' && {costUsd: null}),
    })
    expect(await sendToEnd(app, 'hi')).to.have.nested.property('error.code', 'budget-exceeded')
    expect(app.providers.second?.requests).to.deep.equal([])
  })
})

describe('A summary', () => {
  it('is asked for in whole characters, wherever the history had to be cut', async () => {
    const app = await testApp({facts: {contextWindow: 9000}, script: () => ({text: 'ok'})})
    for (let index = 0; index < 6; index++) await sendToEnd(app, '.'.repeat(index) + '😀'.repeat(2000))
    const contents = app.providers.test?.requests.flatMap(({messages}) => messages.map(({content}) => content)) ?? []
    expect(app.providers.test?.requests.some(({system}) => isSummary(system))).to.equal(true)
    expect(contents.filter((content) => typeof content === 'string' && !content.isWellFormed())).to.deep.equal([])
    await app.close(0)
  })
})
