import {expect} from 'chai'
import {titleOf} from '../../../src/core/sessions/title.js'

describe('titleOf', () => {
  for (const [message, title] of [
    ['hello', 'hello'],
    ['  \n# Plan my *trip*\nsecond line', 'Plan my *trip*'],
    ['---\n\nwhat now', 'what now'],
    ['> quoted   text', 'quoted text'],
    ['a\u202eb\u0007c', 'abc'],
    ['???', '???'],
    [`${'word '.repeat(30)}`, 'word word word word word word word word word word word word…'],
    ['x'.repeat(100), `${'x'.repeat(60)}…`],
  ] as const) {
    it(`of ${JSON.stringify(message).slice(0, 40)} is ${JSON.stringify(title).slice(0, 40)}`, () => {
      expect(titleOf(message)).to.equal(title)
    })
  }
})
