import {execFileSync} from 'node:child_process'
import {expect} from 'chai'
import type {SvcError} from '../../../src/core/errors.js'
import {models, secretKey} from './support.js'

describe('The default model', () => {
  it('is what the configuration says', () => {
    const configured = models({default: 'mine', aliases: {mine: 'anthropic/claude-opus-5-5'}}, {env: {ANTHROPIC_API_KEY: 'k'}})
    expect(configured.defaultModel()).to.include({id: 'anthropic/claude-opus-5-5', alias: 'mine'})
  })

  it('is else that of the first provider with a key', () => {
    expect(models({}, {env: {GROQ_API_KEY: 'k', ANTHROPIC_API_KEY: 'k'}}).defaultModel().id).to.equal(
      'anthropic/claude-sonnet-5-5',
    )
    expect(models({providers: {mistral: {apiKey: 'k'}}}).defaultModel().id).to.equal('mistral/mistral-medium-latest')
  })

  it('is else the offline one', () => {
    expect(models().defaultModel()).to.include({id: 'offline/assistant', provider: 'offline'})
    expect(models({}, {env: {OPENAI_API_KEY: ' '}}).defaultModel().id).to.equal('offline/assistant')
  })

  it('may be a bare id of unknown family when a provider is there', () => {
    expect(models({default: 'nova-1'}, {env: {GROQ_API_KEY: 'k'}}).defaultModel().id).to.equal('groq/nova-1')
    expect(() => models({default: 'nova-1'}).defaultModel()).to.throw('There is no model "nova-1".')
  })
})

describe('A provider', () => {
  it('is there when the configuration or the environment has it, the offline one always', () => {
    const all = models(
      {providers: {local: {baseURL: 'http://127.0.0.1:1/v1'}, openai: {}}},
      {env: {OPENAI_API_KEY: 'k', KIMI_API_KEY: 'k'}},
    )
    expect(all.providerNames()).to.deep.equal(['local', 'openai', 'kimi', 'offline'])
  })

  it('takes its key from the variable of its name', async () => {
    const own = models({providers: {'my-gateway': {baseURL: 'http://127.0.0.1:1/v1'}}}, {env: {MY_GATEWAY_API_KEY: 'k'}})
    expect(await own.provider('my-gateway')).to.include({name: 'my-gateway', kind: 'openai-compatible'})
  })

  it('is loaded once', async () => {
    const some = models({}, {env: {OPENAI_API_KEY: 'k'}})
    expect(await some.provider('openai')).to.equal(await some.provider('openai'))
    expect((await some.provider('openai')).kind).to.equal('openai')
    expect((await some.provider('offline')).kind).to.equal('offline')
  })

  it('whose key expands to nothing is not configured, and the key is named', async () => {
    const error = await failure(
      models({providers: {openai: {apiKey: ''}}}, {env: {OPENAI_API_KEY: secretKey}}).provider('openai'),
    )
    expect(error.code).to.equal('provider-not-configured')
    expect(error.message).to.contain('models.providers.openai.apiKey')
    expect(error.hint).to.contain('OPENAI_API_KEY')
  })

  it('without a key is not configured, unless its address is the owner’s', async () => {
    expect((await failure(models({providers: {openai: {}}}).provider('openai'))).hint).to.contain('OPENAI_API_KEY')
    expect((await failure(models({providers: {team: {kind: 'anthropic'}}}).provider('team'))).hint).to.contain('TEAM_API_KEY')
    expect(await models({providers: {openai: {baseURL: 'http://127.0.0.1:1/v1'}}}).provider('openai')).to.include({
      kind: 'openai',
    })
    expect(await models({providers: {openai: {headers: {Authorization: 'Bearer x'}}}}).provider('openai')).to.include({
      kind: 'openai',
    })
    expect(await models({providers: {ollama: {}}}).provider('ollama')).to.include({kind: 'openai-compatible'})
  })

  it('without an address is not configured', async () => {
    expect((await failure(models({providers: {acme: {apiKey: 'k'}}}).provider('acme'))).hint).to.contain(
      'models.providers.acme.baseURL',
    )
  })

  it('has a time limit of its own', () => {
    const some = models({providers: {ollama: {timeoutMs: 900_000}}})
    expect(some.timeoutMs('ollama')).to.equal(900_000)
    expect(some.timeoutMs('offline')).to.equal(120_000)
  })
})

describe('Naming models', () => {
  it('loads neither the SDK nor the prices', () => {
    const program = `
      import {registerHooks} from 'node:module'
      const seen = []
      registerHooks({resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context) }})
      const {createModels} = await import('./src/core/models/create-models.ts')
      const models = createModels({config: {aliases: {}, providers: {}}, env: {OPENAI_API_KEY: 'k'}, now: () => new Date()})
      models.resolve('gpt-5.6-sol')
      models.defaultModel()
      process.stdout.write(JSON.stringify(seen))`
    const out = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {encoding: 'utf8'})
    const packages = (JSON.parse(out) as string[]).filter((specifier) => !/^(\.|file:|node:|\/)/.test(specifier))
    expect(packages).to.deep.equal(['fastest-levenshtein'])
  })
})

async function failure(attempt: Promise<unknown>): Promise<SvcError> {
  return attempt.then(
    () => {
      throw new Error('Nothing was thrown.')
    },
    (error: SvcError) => error,
  )
}
