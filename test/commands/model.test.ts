import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {type ModelServer, startModelServer} from '../support/model-server.js'
import {runSvc} from '../support/run-svc.js'
import {tempFolder} from '../support/temp.js'
import {homeWithModel} from './model-home.js'

describe('svc model', () => {
  let server: ModelServer
  let home: string

  beforeEach(async () => {
    server = await startModelServer({script: [{say: {text: 'Hello there.', usage: {input: 9, output: 3}}}]})
    home = await homeWithModel(server)
  })
  afterEach(() => server.close())

  const json = async (...args: string[]) => JSON.parse((await runSvc([...args, '--json'], {home})).stdout)

  it('shows the active model, where it comes from, and the aliases', async () => {
    const {code, stdout, stderr} = await runSvc(['model'], {home})
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout).to.equal(
      'Model\tlocal/small\nChosen\tmodels.default in the configuration\n\nfast\tlocal/small\ngpt5.6\tlocal/large\n',
    )
    expect(await json('model')).to.deep.equal({
      schemaVersion: 1,
      ok: true,
      model: {id: 'local/small', alias: null, provider: 'local'},
      source: 'models.default in the configuration',
      aliases: [
        {alias: 'fast', model: 'local/small'},
        {alias: 'gpt5.6', model: 'local/large'},
      ],
    })
  })

  it('is the offline model in an empty home', async () => {
    const {stdout} = await runSvc(['model'], {home: await tempFolder()})
    expect(stdout).to.match(/^Model\toffline\/assistant\nChosen\tno provider is set up\n/)
  })

  it('switches, for every later command', async () => {
    const {code, stdout} = await runSvc(['model', 'gpt5.6'], {home})
    expect([code, stdout]).to.deep.equal([0, 'local/small → gpt5.6 (local/large)\n'])
    expect(await json('model')).to.deep.include({source: 'with svc model'})
    await runSvc(['message', 'hi'], {home})
    expect(server.requests[0]?.body.model).to.equal('large')
  })

  it('takes the choice back with --default', async () => {
    await runSvc(['model', 'gpt5.6'], {home})
    const {code, stdout} = await runSvc(['model', '--default'], {home})
    expect([code, stdout]).to.deep.equal([0, 'gpt5.6 (local/large) → local/small\n'])
    expect(JSON.parse((await runSvc(['model', '--json'], {home})).stdout)).to.have.nested.property('model.id', 'local/small')
    expect((await runSvc(['model', 'gpt5.6', '--default'], {home})).code).to.equal(2)
  })

  it('switches away from a default that cannot be used', async () => {
    await writeFile(join(home, 'config.json'), JSON.stringify({models: {default: 'openai/gpt-5.5'}}))
    const {code} = await runSvc(['model', 'offline/assistant'], {home})
    expect(code).to.equal(0)
  })

  it('refuses an unknown model and stays with the old one', async () => {
    const {code, stdout, stderr} = await runSvc(['model', 'fats'], {home})
    expect([code, stdout]).to.deep.equal([2, ''])
    expect(stderr).to.match(/^Error: There is no model "fats"\.\n(.*\n)?Try: .*fast.*\n$/)
    expect((await json('model')).model.id).to.equal('local/small')
  })

  it('lists the aliases and the models of the configured providers, with what is missing', async () => {
    const config = {models: {aliases: {gpt: 'openai/gpt-5.6-sol'}, providers: {openai: {}}}}
    await writeFile(join(home, 'config.json'), JSON.stringify(config))
    const {models} = await json('model', 'list')
    expect(models[0]).to.include({alias: 'gpt', model: 'openai/gpt-5.6-sol', provider: 'openai', ready: false})
    expect(models[0].missing).to.match(/openai.* has no key/)
    expect(models.at(-1)).to.deep.equal({
      alias: null,
      model: 'offline/assistant',
      provider: 'offline',
      ready: true,
      missing: null,
    })
  })

  it('makes one real call as a test, outside of every conversation', async () => {
    const probe = await json('model', 'test')
    expect(probe).to.deep.include({ok: true, model: 'local/small', reply: 'Hello there.'})
    expect(probe.usage).to.include({inputTokens: 9, outputTokens: 3})
    expect(server.requests).to.have.length(1)
    expect((await json('turns', 'list')).turns).to.deep.equal([])

    server.play([{status: 401, body: {error: {message: 'Incorrect API key', type: 'invalid_request_error'}}}])
    const failed = await runSvc(['model', 'test', 'gpt5.6'], {home})
    expect([failed.code, failed.stdout]).to.deep.equal([1, ''])
    expect(failed.stderr)
      .to.match(/^Error: .*\n/)
      .and.not.contain('test-key-1234')
  })

  describe('alias', () => {
    const config = async () => JSON.parse(await readFile(join(home, 'config.json'), 'utf8'))

    it('sets names with dots and removes them', async () => {
      const set = await runSvc(['model', 'alias', 'set', 'gpt5.7', 'local/huge'], {home})
      expect([set.code, set.stdout, set.stderr]).to.deep.equal([0, 'gpt5.7 → local/huge\n', ''])
      expect((await config()).models.aliases['gpt5.7']).to.equal('local/huge')
      expect(await json('model', 'alias', 'remove', 'gpt5.7')).to.include({alias: 'gpt5.7', model: null, previous: 'local/huge'})
      expect((await config()).models.aliases).to.not.have.property('gpt5.7')
    })

    it('takes another alias, and a provider that is not set up yet, which it says', async () => {
      const {code, stderr} = await runSvc(['model', 'alias', 'set', 'best', 'fast'], {home})
      expect([code, stderr]).to.deep.equal([0, ''])
      const {warnings} = await json('model', 'alias', 'set', 'gpt', 'openai/gpt-5.6-sol')
      expect(warnings[0]).to.contain('openai')
    })

    it('refuses circles, providers, unknown targets and unusable names', async () => {
      await runSvc(['model', 'alias', 'set', 'best', 'fast'], {home})
      const before = await config()
      for (const [name, target, code] of [
        ['fast', 'best', 'invalid-input'],
        ['self', 'self', 'invalid-input'],
        ['local', 'fast', 'invalid-input'],
        ['openai', 'fast', 'invalid-input'],
        ['a/b', 'fast', 'invalid-input'],
        ['__proto__', 'fast', 'invalid-input'],
        ['x', 'nonsense', 'unknown-model'],
        ['x', 'nowhere/model', 'unknown-model'],
      ] as const) {
        const {error} = await json('model', 'alias', 'set', name, target)
        expect(error?.code, `${name} ${target}`).to.equal(code)
        expect(error?.exit).to.equal(2)
      }
      expect(await config()).to.deep.equal(before)
    })

    it('warns when others led to what is removed, and does not know what is not there', async () => {
      await runSvc(['model', 'alias', 'set', 'best', 'fast'], {home})
      const {code, stderr} = await runSvc(['model', 'alias', 'remove', 'fast'], {home})
      expect([code, stderr]).to.deep.equal([0, 'Warning: The alias "best" led to it and leads nowhere now.\n'])
      expect((await runSvc(['model', 'alias', 'remove', 'fast'], {home})).code).to.equal(3)
    })
  })
})
