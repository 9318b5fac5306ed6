import {expect} from 'chai'
import {familyProviders, presetByName, presets} from '../../../src/core/models/presets.js'
import {replacementFor, retiredModels} from '../../../src/core/models/retired.js'

describe('The table of retired models', () => {
  it('names each model once', () => {
    const ids = retiredModels.map((row) => `${row.kind}/${row.id}`)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('never leads to a model that is in it', () => {
    const chained = retiredModels.filter((row) =>
      retiredModels.some((other) => other.kind === row.kind && other.id === row.replacement),
    )
    expect(chained).to.deep.equal([])
  })

  it('leads to models of the catalogue', () => {
    const strays = retiredModels.filter(
      (row) => !presets.some(({name, catalogue}) => name === row.kind && catalogue.includes(row.replacement)),
    )
    expect(strays).to.deep.equal([])
  })

  it('has a day and a source in each row', () => {
    for (const row of retiredModels) {
      expect(row.from, row.id).to.match(/^\d{4}-\d{2}-\d{2}$/)
      expect(Number.isNaN(Date.parse(row.from)), row.id).to.equal(false)
      expect(row.source, row.id).to.match(/^https:\/\//)
    }
  })

  it('does not know models that are still served', () => {
    for (const id of ['gpt-5.1', 'gpt-5.3-codex', 'gpt-5.6-sol', 'gpt-5', 'o3', 'gpt-4o']) {
      expect(replacementFor('openai', id, new Date('2026-11-21')), id).to.equal(undefined)
    }
    expect(replacementFor('anthropic', 'claude-sonnet-4-5', new Date('2026-11-21'))).to.equal(undefined)
  })
})

describe('The table of providers', () => {
  it('names each once, at an address without a slash at its end', () => {
    expect(presetByName.size).to.equal(presets.length)
    for (const preset of presets) expect(preset.baseURL, preset.name).to.match(/^https?:\/\/.*[^/]$/)
  })

  it('keeps its keys where the name says', () => {
    for (const {name, keyVariable} of presets) {
      if (keyVariable) expect(keyVariable).to.equal(`${name.toUpperCase()}_API_KEY`)
    }
  })

  it('agrees with the families about whose the models are', () => {
    for (const {name, catalogue} of presets) {
      for (const id of catalogue) {
        const family = familyProviders(id)
        if (family.length > 0) expect(family, id).to.include(name)
      }
    }
  })
})
