import {expect} from 'chai'
import {SvcError} from '../../../src/core/errors.js'
import {models, today} from './support.js'

const aliases = {
  'gpt5.6': 'openai/gpt-5.6-sol',
  gpt: 'gpt5.6',
  fast: 'groq/openai/gpt-oss-20b',
  stray: 'nowhere',
  a: 'b',
  b: 'c',
  c: 'a',
}
const env = {OPENAI_API_KEY: 'sk-one', GROQ_API_KEY: 'gsk-two', ANTHROPIC_API_KEY: 'sk-ant-three'}

describe('A model name', () => {
  const resolve = (name: string) => models({aliases}, {env}).resolve(name)

  it('may be an alias', () => {
    expect(resolve('gpt5.6')).to.deep.equal({
      id: 'openai/gpt-5.6-sol',
      provider: 'openai',
      modelId: 'gpt-5.6-sol',
      alias: 'gpt5.6',
    })
  })

  it('may be an alias of an alias, and blanks around it do not matter', () => {
    expect(resolve('  gpt\n')).to.include({id: 'openai/gpt-5.6-sol', alias: 'gpt'})
  })

  it('is split at its first slash', () => {
    expect(resolve('fast')).to.include({provider: 'groq', modelId: 'openai/gpt-oss-20b'})
    expect(resolve('groq/meta-llama/llama-4-scout')).to.include({
      provider: 'groq',
      modelId: 'meta-llama/llama-4-scout',
      alias: null,
    })
  })

  it('that is bare goes to the one provider whose catalogue has it', () => {
    expect(resolve('llama-3.3-70b-versatile').provider).to.equal('groq')
  })

  for (const [id, provider] of [
    ['gpt-9-nova', 'openai'],
    ['o4-maxi', 'openai'],
    ['chatgpt-6-latest', 'openai'],
    ['claude-saga-7', 'anthropic'],
  ] as const) {
    it(`that is bare goes by family: ${id} to ${provider}`, () => {
      expect(resolve(id).provider).to.equal(provider)
    })
  }

  it('of a known family asks for its provider even when that is not set up', () => {
    expect(failure(() => resolve('grok-4.6'))).to.deep.include({code: 'provider-not-configured'})
    expect(failure(() => resolve('grok-4.6')).hint).to.contain('XAI_API_KEY')
  })

  it('of a family with two names goes to the one that is set up', () => {
    expect(models({}, {env: {GEMINI_API_KEY: 'k'}}).resolve('gemini-3.8-flash').provider).to.equal('gemini')
  })

  it('of unknown family goes to the provider of the default model', () => {
    const local = models({default: 'ollama/qwen3', providers: {ollama: {}}}, {env})
    expect(local.resolve('phi-5.mini')).to.include({id: 'ollama/phi-5.mini'})
  })

  it('of unknown family is unknown when nothing but the offline model is there', () => {
    expect(failure(() => models().resolve('phi-5.mini')).code).to.equal('unknown-model')
  })

  it('that nothing fits is unknown, with the nearest aliases', () => {
    const error = failure(() => resolve('gpt5,6'))
    expect(error).to.include({code: 'unknown-model'})
    expect(error.hint).to.equal('Did you mean gpt5.6?')
  })

  it('that names a provider alone says how to go on', () => {
    const error = failure(() => resolve('openai'))
    expect(error.code).to.equal('unknown-model')
    expect(error.hint).to.contain('openai/gpt-5.6-sol')
    expect(failure(() => resolve('openai/')).code).to.equal('unknown-model')
    expect(failure(() => resolve('/gpt-5')).code).to.equal('unknown-model')
  })

  it('may be an alias that is called like a provider', () => {
    expect(models({aliases: {openai: 'openai/gpt-5.5'}}, {env}).resolve('openai').id).to.equal('openai/gpt-5.5')
  })

  it('that is an alias of nothing names both', () => {
    expect(failure(() => resolve('stray')).message).to.equal('The alias "stray" leads to "nowhere", which is no model.')
  })

  it('must not go round in a circle', () => {
    const error = failure(() => resolve('b'))
    expect(error.code).to.equal('invalid-input')
    expect(error.message).to.contain('"b" → "c" → "a" → "b"')
  })

  for (const bad of ['', '  ', 'gpt 5', 'gpt\u0000-5', 'gpt-\u202e5', 'x'.repeat(300)]) {
    it(`must be visible characters: ${JSON.stringify(bad.slice(0, 8))}`, () => {
      const error = failure(() => resolve(bad))
      expect(error.code).to.equal('invalid-input')
      expect(error.message).to.not.match(/[\p{Cc}\p{Cf}]/u)
    })
  }

  it('is no word of JavaScript', () => {
    expect(failure(() => resolve('constructor')).code).to.equal('unknown-model')
    expect(failure(() => resolve('__proto__/x')).code).to.equal('provider-not-configured')
  })

  it('of an unknown provider says how to set it up', () => {
    expect(failure(() => resolve('deepseek/deepseek-v4-pro')).hint).to.contain('DEEPSEEK_API_KEY')
    expect(failure(() => resolve('ollama/qwen3')).hint).to.contain('http://127.0.0.1:11434/v1')
    expect(failure(() => resolve('acme/one')).hint).to.contain('models.providers.acme.baseURL')
  })
})

describe('A retired model', () => {
  it('becomes its replacement, recorded once', () => {
    const told: string[] = []
    const current = models({}, {env, onRetired: (from, to) => told.push(`${from} → ${to}`)})
    expect(current.resolve('openai/gpt-4')).to.deep.equal({
      id: 'openai/gpt-5.6-sol',
      provider: 'openai',
      modelId: 'gpt-5.6-sol',
      alias: null,
      retiredFrom: 'openai/gpt-4',
    })
    current.resolve('gpt-4')
    expect(told).to.deep.equal(['openai/gpt-4 → openai/gpt-5.6-sol'])
  })

  it('is left alone before its day', () => {
    const at = (day: string) => models({}, {env, now: () => new Date(`${day}T00:00:00Z`)}).resolve('gpt-5-mini').id
    expect(at('2026-12-10')).to.equal('openai/gpt-5-mini')
    expect(at('2026-12-11')).to.equal('openai/gpt-5.6-terra')
    expect(today < new Date('2026-12-11')).to.equal(true)
  })

  it('is left alone at a provider that is not its maker', () => {
    const resold = models({}, {env: {OPENROUTER_API_KEY: 'k'}})
    expect(resold.resolve('openrouter/openai/gpt-4').id).to.equal('openrouter/openai/gpt-4')
  })
})

function failure(attempt: () => unknown): SvcError {
  try {
    attempt()
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('Nothing was thrown.')
}
