import {expect} from 'chai'
import {compileGlob} from '../../../src/core/tools/glob.js'

const table: [pattern: string, matching: string[], other: string[]][] = [
  ['*.md', ['a.md', '.md', '.hidden.md'], ['a.mdx', 'b/a.md', 'md']],
  ['**/*.md', ['a.md', 'b/a.md', 'c/b/a.md'], ['a.txt']],
  ['docs/**', ['docs/a', 'docs/b/c'], ['other/a']],
  ['docs/**/*.txt', ['docs/a.txt', 'docs/b/c/a.txt'], ['a.txt', 'docs/a.md']],
  ['a?c', ['abc', 'a€c', 'a😀c'], ['ac', 'abbc']],
  ['[ab].txt', ['a.txt', 'b.txt'], ['c.txt', '[ab].txt']],
  ['[!a-c].txt', ['d.txt'], ['b.txt']],
  ['*.{md,txt}', ['a.md', 'a.txt'], ['a.js', 'a.{md,txt}']],
  ['{a,b{1,2}}', ['a', 'b1', 'b2'], ['b', 'b3']],
  ['a.b', ['a.b'], ['axb']],
  ['(a|b)+$^', ['(a|b)+$^'], ['a']],
  ['*a*b*', ['xaxbx', 'ab'], ['ba']],
  ['[', ['['], ['a']],
]

describe('globs', () => {
  for (const [pattern, matching, other] of table) {
    it(pattern, () => {
      const matches = compileGlob(pattern)
      for (const path of matching) expect(matches(path), path).to.equal(true)
      for (const path of other) expect(matches(path), path).to.equal(false)
    })
  }

  it('answers patterns at once that make a regular expression backtrack', () => {
    expect(compileGlob(`${'*a'.repeat(90)}b`)('a'.repeat(255))).to.equal(false)
    expect(compileGlob(`${'**/'.repeat(60)}b`)('a/'.repeat(500))).to.equal(false)
  })

  it('refuses a flood of alternatives', () => {
    expect(() => compileGlob('{a,b}'.repeat(30))).to.throw(RangeError)
  })
})
