import {expect} from 'chai'
import {generatedPages} from '../../scripts/generate-docs/pages.js'

describe('The generated parts of the pages', () => {
  it('are what npm run docs would write', async () => {
    const stale = (await generatedPages()).filter(({current, wanted}) => current !== wanted).map(({file}) => file)
    expect(stale, 'run: npm run docs').to.deep.equal([])
  })
})
