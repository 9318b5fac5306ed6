import {readdir} from 'node:fs/promises'
import {expect} from 'chai'
import * as z from 'zod'
import {builtin} from '../../../src/core/tools/builtin/index.js'
import {createToolRegistry} from '../../../src/core/tools/create-tool-registry.js'
import {agentWith} from './context.js'

const folder = new URL('../../../src/core/tools/builtin/', import.meta.url)

describe('the tool registry', () => {
  const registry = createToolRegistry()
  const names = (tools: string[] | null) => registry.forAgent(agentWith(tools)).map(({name}) => name)

  it('knows the tool of every file in the folder', async () => {
    const files = (await readdir(folder))
      .filter((file) => file !== 'index.ts')
      .map((file) => file.replace('.ts', '').replaceAll('-', '_'))
    expect(builtin.map(({name}) => name)).to.have.members(files)
  })

  it('gives an agent without a list all tools, in a fixed order', () => {
    expect(names(null)).to.deep.equal(['time', 'remember', 'recall', 'search_history', 'read', 'list', 'find'])
  })

  it('keeps to the list of the agent, in its own order', () => {
    expect(names(['read', 'time', 'unheard-of'])).to.deep.equal(['time', 'read'])
    expect(names([])).to.deep.equal([])
  })

  it('finds only what the agent may use', () => {
    expect(registry.find(agentWith(['time']), 'time')?.name).to.equal('time')
    expect(registry.find(agentWith(['time']), 'read')).to.equal(undefined)
    expect(registry.find(agentWith(null), 'toString')).to.equal(undefined)
  })

  it('makes each declaration once', () => {
    expect(registry.forAgent(agentWith(null))[0]).to.equal(registry.forAgent(agentWith(['time']))[0])
  })

  it('declares all tools within 3 KB, as plain JSON Schema', () => {
    const declared = registry.forAgent(agentWith(null))
    const json = JSON.stringify(declared)
    expect(json.length).to.be.below(3 * 1024)
    expect(json).to.not.match(/\$schema|9007199254740991/)
    for (const {name, inputSchema} of declared) expect(inputSchema.type, name).to.equal('object')
    expect(declared.find(({name}) => name === 'read')?.inputSchema.required).to.deep.equal(['path'])
  })

  it('refuses two tools of one name', () => {
    const [first] = builtin
    if (first) expect(() => createToolRegistry([first, {...first, input: z.object({})}])).to.throw('same name')
  })
})
