import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {ConfigSchema} from '../../src/core/config/schema.js'
import {unknownKeys} from '../../src/core/config/unknown-keys.js'

const text = (page: string) => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8')

describe('The configurations that the pages show', () => {
  for (const page of ['models.md', 'configuration.md']) {
    it(`of ${page} fit, and have no unknown key`, () => {
      const shown = [...text(page).matchAll(/^```json\n(.*?)^```/gms)].map(([, json = '']) => JSON.parse(json) as object)
      expect(shown).to.not.be.empty
      for (const config of shown) {
        expect(ConfigSchema.safeParse(config).error?.issues ?? []).to.deep.equal([])
        expect(unknownKeys(config)).to.deep.equal([])
      }
    })
  }
})
