// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are written like this in the configuration
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {setIn} from '../../../src/core/config/key-path.js'
import {loadConfig} from '../../../src/core/config/load.js'
import {updateConfig} from '../../../src/core/config/write.js'
import {tempFolder} from '../../support/temp.js'
import {failure} from './failure.js'

const env = {}

async function homeWith(text: string): Promise<{home: string; file: string}> {
  const home = await tempFolder()
  const file = join(home, 'config.json')
  await writeFile(file, text)
  return {home, file}
}

describe('updateConfig', () => {
  it('makes the file, for its owner alone, and leaves nothing beside it', async () => {
    const home = await tempFolder()
    const change = await updateConfig(home, (draft) => setIn(draft, ['gateway', 'port'], 1), {env})
    expect(change).to.deep.equal({changed: true, before: {}, after: {gateway: {port: 1}}})
    expect(await readdir(home)).to.deep.equal(['config.json'])
    expect((await stat(join(home, 'config.json'))).mode & 0o777).to.equal(0o600)
  })

  it('keeps references, unknown keys, their order and the indentation', async () => {
    const before = `{
    "$schema": "https://example.org/svc.json",
    "zebra": {"b": 1, "a": "\${GONE}"},
    "dashboard": {"token": "\${TOKEN}"},
    "models": {"aliases": {"gpt5.1": "openai/gpt-5.1"}}
}`
    const {home, file} = await homeWith(before)
    await updateConfig(home, (draft) => setIn(draft, ['models', 'aliases', 'gpt5.6'], 'openai/gpt-5.6-sol'), {env})
    const expected = JSON.parse(before)
    expected.models.aliases['gpt5.6'] = 'openai/gpt-5.6-sol'
    expect(await readFile(file, 'utf8')).to.equal(`${JSON.stringify(expected, null, 4)}\n`)
  })

  it('does not touch the file when nothing changes', async () => {
    const {home, file} = await homeWith('{"gateway":   {"port": 1}}')
    const {changed} = await updateConfig(home, (draft) => setIn(draft, ['gateway', 'port'], 1), {env})
    expect(changed).to.equal(false)
    expect(await readFile(file, 'utf8')).to.equal('{"gateway":   {"port": 1}}')
  })

  it('never overwrites a broken file', async () => {
    for (const text of ['{"gateway": {', '[]', '', '{"gateway": {"port": "x"}}']) {
      const {home, file} = await homeWith(text)
      await failure(
        'bad-config',
        updateConfig(home, (draft) => setIn(draft, ['models', 'default'], 'a/b'), {env}),
      )
      expect(await readFile(file, 'utf8')).to.equal(text)
    }
  })

  it('mends a file whose values do not fit', async () => {
    const {home} = await homeWith('{"gateway": {"port": "x"}}')
    await updateConfig(home, (draft) => setIn(draft, ['gateway', 'port'], 1), {env})
    expect((await loadConfig({home, env})).config.gateway.port).to.equal(1)
  })

  it('refuses a change that does not fit and lets an error of the change through', async () => {
    const {home, file} = await homeWith('{}')
    const error = await failure(
      'invalid-input',
      updateConfig(home, (draft) => setIn(draft, ['gateway', 'port'], 70_000), {env}),
    )
    expect(error.message).to.equal('gateway.port must be at most 65535. Nothing was written.')
    const stop = new Error('stop')
    const thrown = await updateConfig(
      home,
      () => {
        throw stop
      },
      {env},
    ).catch((caught: unknown) => caught)
    expect(thrown).to.equal(stop)
    expect(await readFile(file, 'utf8')).to.equal('{}')
    expect(await readdir(home)).to.deep.equal(['config.json'])
  })

  it('writes through a symbolic link', async () => {
    const elsewhere = join(await tempFolder(), 'dotfile.conf')
    await writeFile(elsewhere, '{}')
    const home = await tempFolder()
    await symlink(elsewhere, join(home, 'config.json'))
    await updateConfig(home, (draft) => setIn(draft, ['gateway', 'port'], 1), {env})
    expect(JSON.parse(await readFile(elsewhere, 'utf8'))).to.deep.equal({gateway: {port: 1}})
  })

  it('loses nothing when eight processes change it at once', async function () {
    this.timeout(90_000)
    const home = await tempFolder()
    const writers = Array.from({length: 8}, (_, name) =>
      spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'writer.ts'), home, `p${name}`, '50'], {
        stdio: 'inherit',
      }),
    )
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number))
    expect(codes).to.deep.equal(Array(8).fill(0))
    const {config} = await loadConfig({home, env})
    expect(Object.keys(config.models.aliases)).to.have.length(400)
    expect(await readdir(home)).to.deep.equal(['config.json'])
  })
})
