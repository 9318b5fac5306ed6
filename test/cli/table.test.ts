import {expect} from 'chai'
import {plain} from '../../src/cli/plain.js'
import {formatTable} from '../../src/cli/table.js'

const rows = [
  {name: 'news', runs: 7, at: new Date('2026-11-22T07:00:00.500Z'), on: true},
  {name: 'a long name, 日本 and 🎉', runs: 120, at: null, on: false},
]
const columns = {
  NAME: (row: (typeof rows)[number]) => row.name,
  RUNS: (row: (typeof rows)[number]) => row.runs,
  ON: (row: (typeof rows)[number]) => row.on,
}

describe('a table', () => {
  it('is aligned for a reader, numbers to the right, wide letters counted as two', () => {
    expect(plainLines(formatTable(rows, columns, 80))).to.deep.equal([
      'NAME                      RUNS  ON',
      'news                         7  yes',
      'a long name, 日本 and 🎉   120  no',
    ])
  })

  it('is cut to the width of the terminal, from the widest column', () => {
    expect(plainLines(formatTable(rows, columns, 24))).to.deep.equal([
      'NAME           RUNS  ON',
      'news              7  yes',
      'a long name,…   120  no',
    ])
  })

  it('is whole and machine-readable for a program', () => {
    expect(formatTable(rows, {NAME: (row) => row.name, AT: (row) => row.at, ON: (row) => row.on}, undefined)).to.equal(
      'news\t2026-11-22T07:00:00.500Z\ttrue\na long name, 日本 and 🎉\t\tfalse\n',
    )
  })

  it('shows times in the zone of the machine and a dash for what is missing', () => {
    const [, first, second] = plainLines(formatTable(rows, {AT: (row) => row.at}, 80))
    expect(first).to.match(/^2026-11-2\d \d\d:\d\d$/)
    expect(second).to.equal('-')
  })
})

const plainLines = (table: string): string[] => plain(table).trimEnd().split('\n')
