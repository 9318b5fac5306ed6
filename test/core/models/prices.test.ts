import {expect} from 'chai'
import type {ResolvedModel} from '../../../src/core/models/models.js'
import {models, today} from './support.js'

const known = models({
  providers: {groq2: {baseURL: 'https://api.groq.com/openai/v1', apiKey: 'k'}, local: {baseURL: 'http://127.0.0.1:1/v1'}},
})

describe('The price of a step', () => {
  const price = (id: string, usage = {inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0}) =>
    known.price(named(id), usage, today)

  it('is lower for input that was read from the cache', async () => {
    const full = await price('openai/gpt-5.6-sol')
    const cached = await price('openai/gpt-5.6-sol', {inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 1_000_000})
    expect(full.costUsd).to.be.greaterThan(0)
    expect(cached.costUsd).to.be.lessThan((full.costUsd ?? 0) / 2)
    expect(cached).to.include({inputTokens: 1_000_000, cachedTokens: 1_000_000})
  })

  it('is higher for input that was written to it', async () => {
    const full = await price('anthropic/claude-opus-5-5')
    const written = await known.price(
      named('anthropic/claude-opus-5-5'),
      {inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 1_000_000},
      today,
    )
    expect(written.costUsd).to.be.greaterThan(full.costUsd ?? 0)
  })

  it('adds up', async () => {
    const parts = await Promise.all([
      price('openai/gpt-5.1', {inputTokens: 1000, outputTokens: 0, cachedTokens: 0}),
      price('openai/gpt-5.1', {inputTokens: 0, outputTokens: 200, cachedTokens: 0}),
    ])
    const whole = await price('openai/gpt-5.1', {inputTokens: 1000, outputTokens: 200, cachedTokens: 0})
    expect(whole.costUsd).to.be.closeTo(
      parts.reduce((sum, part) => sum + (part.costUsd ?? 0), 0),
      1e-9,
    )
  })

  it('is unknown for a model that the data does not have, also when it has a similar one', async () => {
    expect((await price('openai/gpt-99-nova')).costUsd).to.equal(null)
    expect((await price('anthropic/claude-sonnet-5-5')).costUsd).to.equal(null)
    expect((await price('gone/gpt-5.1')).costUsd).to.equal(null)
  })

  it('is nothing on a server of this machine', async () => {
    expect((await price('local/gpt-5.1')).costUsd).to.equal(0)
  })

  it('is told by the address of a provider without a preset', async () => {
    expect((await price('groq2/llama-3.3-70b-versatile')).costUsd).to.be.greaterThan(0)
  })

  it('survives usage that contradicts itself', async () => {
    const odd = await price('openai/gpt-5.1', {inputTokens: 10, outputTokens: 1, cachedTokens: 50})
    expect(odd.cachedTokens).to.equal(10)
    expect(odd.costUsd).to.be.greaterThan(0)
  })

  it('is nothing for the offline model', async () => {
    expect((await price('offline/assistant')).costUsd).to.equal(0)
  })
})

describe('The facts about a model', () => {
  it('are those of the data', async () => {
    expect(await known.facts(named('openai/gpt-5.1'))).to.deep.equal({contextWindow: 400_000, maxOutput: null})
  })

  it('are null where it says nothing', async () => {
    expect(await known.facts(named('openai/gpt-99-nova'))).to.deep.equal({contextWindow: null, maxOutput: null})
    expect(await known.facts(named('local/anything'))).to.deep.equal({contextWindow: null, maxOutput: null})
  })
})

function named(id: string): ResolvedModel {
  const [provider = '', modelId = ''] = id.split('/')
  return {id, provider, modelId, alias: null}
}
