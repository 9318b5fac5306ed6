// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are written like this in the configuration
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {loadConfig} from '../../../src/core/config/load.js'
import {tempFolder} from '../../support/temp.js'
import {failure} from './failure.js'

interface Files {
  config?: unknown
  env?: string
  envMode?: number
}

async function homeWith({config, env, envMode = 0o600}: Files): Promise<string> {
  const home = await tempFolder()
  if (config !== undefined) {
    const text = typeof config === 'string' || Buffer.isBuffer(config) ? config : JSON.stringify(config, null, 2)
    await writeFile(join(home, 'config.json'), text)
  }
  if (env !== undefined) await writeFile(join(home, '.env'), env, {mode: envMode})
  return home
}

async function load(files: Files, env: Record<string, string | undefined> = {}, keychain: Record<string, string> = {}) {
  const home = await homeWith(files)
  return loadConfig({home, env: {HOME: '/home/ada', ...env}, readKeychain: async (name) => keychain[name]})
}

describe('loadConfig', () => {
  it('gives everything its default without a file', async () => {
    const home = await tempFolder()
    const {config, warnings, raw, file, secrets} = await loadConfig({home, env: {}})
    expect(config.gateway).to.include({host: '127.0.0.1', port: 18_790, allowRemote: false, concurrency: 4, queue: 32})
    expect(config.agents).to.deep.equal({default: 'assistant', list: {}})
    expect(config.approvals).to.deep.equal({unattended: 'wait', expireMinutes: 15})
    expect(config.budgets).to.include({toolRounds: 25})
    expect(config.sandbox.allowedFolders).to.deep.equal([join(home, 'workspace')])
    expect(config.logging.file).to.equal(join(home, 'logs/svc.log'))
    expect(config.dashboard.token).to.equal(undefined)
    expect({warnings, raw, file, secrets}).to.deep.equal({
      warnings: [],
      raw: {},
      file: join(home, 'config.json'),
      secrets: [],
    })
  })

  it('fills in the defaults of agents and providers', async () => {
    const {config} = await load({config: {agents: {list: {coder: {}}}, models: {providers: {kimi: {}}}}})
    expect(config.agents.list.coder).to.deep.equal({fallbacks: [], instructions: '', maxOutputTokens: 8192})
    expect(config.models.providers.kimi).to.deep.equal({headers: {}, timeoutMs: 120_000})
  })

  it('resolves folders against the two homes', async () => {
    const {config, file} = await load({config: {sandbox: {allowedFolders: ['~/code', '~', 'notes', '/srv', '~/code/']}}})
    const home = join(file, '..')
    expect(config.sandbox.allowedFolders).to.deep.equal(['/home/ada/code', '/home/ada', join(home, 'notes'), '/srv'])
  })

  it('tolerates a byte order mark', async () => {
    const {config} = await load({config: '\ufeff{"gateway": {"port": 0}}', env: '\ufeffNAME=value\n'})
    expect(config.gateway.port).to.equal(0)
  })

  describe('unknown keys', () => {
    it('are kept and reported, one sentence each, with what was probably meant', async () => {
      const written = {$schema: 'x', gatway: {}, gateway: {prot: 1}, channels: {a: {b: 1}}, models: {aliases: {a: 'o/m'}}}
      const {warnings, raw} = await load({config: written})
      expect(warnings).to.deep.equal([
        '`gatway` is not a key this version uses; kept. Did you mean `gateway`?',
        '`gateway.prot` is not a key this version uses; kept. Did you mean `gateway.port`?',
        '`channels` is not a key this version uses; kept.',
      ])
      expect(raw).to.deep.equal(written)
    })

    it('are found inside agents and providers', async () => {
      const {warnings} = await load({
        config: {agents: {list: {a: {modle: 'x/y'}}}, models: {providers: {o: {base_url: 'http://x'}}}},
      })
      expect(warnings).to.deep.equal([
        '`agents.list.a.modle` is not a key this version uses; kept. Did you mean `agents.list.a.model`?',
        '`models.providers.o.base_url` is not a key this version uses; kept. Did you mean `models.providers.o.baseURL`?',
      ])
    })
  })

  describe('${VAR}', () => {
    it('expands in any string, several in one, once', async () => {
      const {config} = await load(
        {config: {agents: {list: {a: {instructions: '${A} and ${B}, $${A}, $A, ${1}, ${A-B}, ${}'}}}}},
        {A: 'one ${B}', B: 'two'},
      )
      expect(config.agents.list.a?.instructions).to.equal('one ${B} and two, ${A}, $A, ${1}, ${A-B}, ${}')
    })

    it('prefers the real environment to .env', async () => {
      const {env} = await load({env: 'A=file\nB=file\nC="two\nlines"\n# comment\nexport D=d\n'}, {A: 'real', B: undefined})
      expect(env).to.include({A: 'real', B: 'file', C: 'two\nlines', D: 'd'})
    })

    it('becomes a number or a switch where one is wanted', async () => {
      const {config} = await load({config: {gateway: {port: '${PORT}', allowRemote: '${REMOTE}'}}}, {PORT: '0', REMOTE: 'true'})
      expect(config.gateway).to.include({port: 0, allowRemote: true})
      const error = await failure('bad-config', load({config: {gateway: {port: '${PORT}'}}}, {PORT: 'many'}))
      expect(error.message).to.contain('gateway.port must be a number, not a string')
    })

    it('does not turn an ordinary string into a number', async () => {
      await failure('bad-config', load({config: {gateway: {port: '18790'}}}))
    })

    it('warns once for each variable and key when there is nothing, and leaves the default', async () => {
      const config = {gateway: {host: '${HOST}${HOST}'}, models: {default: '${EMPTY}', aliases: {a: '${HOST}'}}}
      const loaded = await load({config}, {EMPTY: ''})
      expect(loaded.warnings).to.deep.equal([
        '`gateway.host` refers to ${HOST}, which is not set.',
        '`models.default` refers to ${EMPTY}, which is empty.',
        '`models.aliases.a` refers to ${HOST}, which is not set.',
      ])
      expect(loaded.config.gateway.host).to.equal('127.0.0.1')
      expect(loaded.config.models).to.deep.equal({aliases: {}, providers: {}})
    })

    it('never lets an empty entry of a list stand for the service home', async () => {
      const {config} = await load({config: {sandbox: {allowedFolders: ['${NOWHERE}']}}})
      expect(config.sandbox.allowedFolders).to.deep.equal([])
    })

    it('does not reach into the prototype of the environment', async () => {
      const {warnings} = await load({config: {models: {default: '${constructor}'}}})
      expect(warnings).to.have.length(1)
    })

    it('keeps a token that came to nothing apart from an absent one', async () => {
      for (const token of ['', '${GONE}', 'prefix-${GONE}']) {
        expect((await load({config: {dashboard: {token}}})).config.dashboard.token).to.equal('')
      }
    })
  })

  describe('the credential store', () => {
    it('is read for ${KEYCHAIN:name}', async () => {
      const {config, secrets} = await load({config: {dashboard: {token: '${KEYCHAIN:web}'}}}, {}, {web: 'from the store'})
      expect(config.dashboard.token).to.equal('from the store')
      expect(secrets).to.deep.equal(['from the store'])
    })

    it('holds the token when the configuration says so', async () => {
      const config = {dashboard: {tokenStore: 'keychain'}}
      const loaded = await load({config}, {}, {'dashboard.token': 'from the store'})
      expect(loaded.config.dashboard.token).to.equal('from the store')
    })

    it('locks the dashboard when it cannot be read or has no such entry', async () => {
      for (const dashboard of [{tokenStore: 'keychain'}, {token: '${KEYCHAIN:web}'}]) {
        const missing = await load({config: {dashboard}})
        const home = await homeWith({config: {dashboard}})
        const broken = await loadConfig({home, env: {}, readKeychain: () => Promise.reject(new Error('it is locked'))})
        expect([missing.config.dashboard.token, broken.config.dashboard.token]).to.deep.equal(['', ''])
        expect(missing.warnings).to.have.length(1)
        expect(broken.warnings.join()).to.contain('it is locked')
      }
    })

    it('locks it too while keytar is not installed', async () => {
      const home = await homeWith({config: {dashboard: {tokenStore: 'keychain'}}})
      const {config, warnings} = await loadConfig({home, env: {}})
      expect(config.dashboard.token).to.equal('')
      expect(warnings).to.have.length(1)
    })
  })

  it('lists every secret it knows', async () => {
    const provider = {
      apiKey: '${KEY}',
      baseURL: 'https://user:pa55@example.org/v1',
      headers: {'X-Plain': 'shown', 'X-Api-Key': 'literal-key', 'X-Team': 'team ${TEAM}'},
    }
    const config = {
      models: {aliases: {token: 'not/secret'}, providers: {o: provider}},
      dashboard: {token: 'web'},
      channels: {telegram: {token: '${BOT}'}},
    }
    const env =
      'KEY=key-value\nTEAM=blue\nBOT=bot-value\nOPENAI_API_KEY=from-env-file\nUSE_TOKEN=true\nDB_PASSWORD_FILE=/run/secret\n'
    const {secrets} = await load({config, env}, {GITHUB_TOKEN: 'from-process', PATH: '/usr/bin:/bin'})
    expect(secrets).to.have.members([
      'key-value',
      'pa55',
      'literal-key',
      'team blue',
      'web',
      'bot-value',
      'from-env-file',
      '/run/secret',
      'from-process',
    ])
  })

  describe('.env', () => {
    it('warns when others can read it', async () => {
      const {warnings} = await load({env: 'A=1\n', envMode: 0o644})
      expect(warnings).to.have.length(1)
      expect(warnings[0]).to.contain('.env can be read by other users').and.to.contain('chmod 600')
    })

    it('warns, without quoting it, when nothing in it is a setting', async () => {
      const {warnings} = await load({env: 'sk-this-is-only-a-key\n'})
      expect(warnings).to.have.length(1)
      expect(warnings[0]).to.contain('sets nothing').and.not.to.contain('sk-')
    })

    it('is refused when it is not a text', async () => {
      const error = await failure('bad-config', load({env: 'A=1\0\n'}))
      expect(error.message).to.contain('.env is not a text file')
    })
  })
})
