import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'dist')
const {commands} = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
  commands: Record<string, {summary?: string; description?: string; examples?: unknown[]; hidden?: boolean; pluginName: string}>
}
const fromPlugins = ['autocomplete', 'help']

describe('the build', () => {
  it('knows every command by the place of its file', () => {
    const files = globSync('**/*.{ts,tsx}', {cwd: join(root, 'src/commands')})
    const ids = files.map((file) => file.replace(/(\/index)?\.tsx?$/, '').replaceAll('/', ':'))
    expect(ours().sort()).to.deep.equal(ids.sort())
  })

  it('has a summary and an example for every command', () => {
    const bare = ours().filter((id) => !commands[id]?.summary || !commands[id]?.examples?.length)
    expect(bare).to.deep.equal([])
  })

  it('reads no heavy package before a command asks for it', () => {
    const read = new Set<string>()
    for (const entry of ['cli.js', ...globSync('commands/**/*.js', {cwd: dist})]) collect(entry, read)
    const heavy = /^\/\/ (?:\.\.\/)*node_modules\/(ai|@ai-sdk|conf|ajv|polka|ink|react|@pydantic)\//m
    const guilty = [...read].filter((file) => heavy.test(readFileSync(join(dist, file), 'utf8')))
    expect(guilty).to.deep.equal([])
  })

  function ours(): string[] {
    return Object.keys(commands).filter((id) => !fromPlugins.includes(id.split(':')[0] ?? ''))
  }

  /** Adds the file and what it imports at its top, and the app that nearly every command builds. */
  function collect(file: string, seen: Set<string>): void {
    if (seen.has(file)) return
    seen.add(file)
    const code = readFileSync(join(dist, file), 'utf8')
    const imports = code.matchAll(/^(?:import|\} from|import .* from) "(\.[^"]+)"|import\("(\.[^"]*create-app-[^"]+)"\)/gm)
    for (const [, top, app] of imports) collect(join(file, '..', top ?? app ?? ''), seen)
  }
})
