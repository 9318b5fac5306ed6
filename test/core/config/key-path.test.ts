import {expect} from 'chai'
import {formatKey, getIn, setIn, unsetIn} from '../../../src/core/config/key-path.js'
import {failure} from './failure.js'

describe('key paths', () => {
  it('reach names with dots', () => {
    const draft = {}
    setIn(draft, ['models', 'aliases', 'gpt5.1'], 'openai/gpt-5.1')
    expect(draft).to.deep.equal({models: {aliases: {'gpt5.1': 'openai/gpt-5.1'}}})
    expect(getIn(draft, ['models', 'aliases', 'gpt5.1'])).to.equal('openai/gpt-5.1')
    expect(unsetIn(draft, ['models', 'aliases', 'gpt5.1'])).to.equal(true)
    expect(unsetIn(draft, ['models', 'aliases', 'gpt5.1'])).to.equal(false)
    expect(draft).to.deep.equal({models: {aliases: {}}})
  })

  it('reach entries of arrays, and one past the end', () => {
    const draft = {list: ['a', 'b']}
    setIn(draft, ['list', 2], 'c')
    expect(unsetIn(draft, ['list', 0])).to.equal(true)
    expect(draft.list).to.deep.equal(['b', 'c'])
  })

  it('never reach a prototype', async () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      await failure('invalid-input', () => setIn({}, [key, 'polluted'], true))
      await failure('invalid-input', () => setIn({}, ['models', key], true))
      await failure('invalid-input', () => unsetIn({}, [key]))
      expect(getIn({}, [key])).to.equal(undefined)
    }
    expect({}).not.to.have.property('polluted')
  })

  it('refuse to go through a value that has no keys', async () => {
    const {message} = await failure('invalid-input', () => setIn({gateway: {port: 1}}, ['gateway', 'port', 'x'], 1))
    expect(message).to.contain('gateway.port')
    await failure('invalid-input', () => setIn({list: []}, ['list', 'name'], 1))
    await failure('invalid-input', () => setIn({}, [], 1))
  })

  it('are written as people write them', () => {
    expect(formatKey(['models', 'aliases', 'gpt5.6'])).to.equal('models.aliases["gpt5.6"]')
    expect(formatKey(['agents', 'list', 'a', 'tools', 0])).to.equal('agents.list.a.tools[0]')
    expect(formatKey(['a\n'])).to.equal('["a\\n"]')
  })
})
