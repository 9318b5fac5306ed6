import {expect} from 'chai'
import {findAgent} from '../../../src/core/config/agents.js'
import {ConfigSchema} from '../../../src/core/config/schema.js'
import {failure} from './failure.js'

const config = ConfigSchema.parse({agents: {default: 'coder', list: {coder: {model: 'gpt', tools: [], thinking: 'high'}}}})

describe('findAgent', () => {
  it('finds the default agent', () => {
    expect(findAgent(config)).to.deep.equal({
      id: 'coder',
      name: 'coder',
      model: 'gpt',
      fallbacks: [],
      instructions: '',
      tools: [],
      thinking: 'high',
      maxOutputTokens: 8192,
    })
  })

  it('has an assistant that nobody configured', () => {
    const assistant = findAgent(ConfigSchema.parse({}))
    expect(assistant).to.include({id: 'assistant', name: 'Assistant', model: null, tools: null, maxOutputTokens: 8192})
    expect(findAgent(config, 'assistant')).to.deep.equal(assistant)
  })

  it('names the known agents when asked for another', async () => {
    for (const id of ['nobody', 'constructor', '']) {
      const {hint} = await failure('not-found', () => findAgent(config, id))
      expect(hint).to.equal('Known agents: assistant, coder.')
    }
  })
})
