import {execFileSync} from 'node:child_process'
import {mkdir, open, stat, symlink, truncate, utimes, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {builtin} from '../../../src/core/tools/builtin/index.js'
import {timeIn} from '../../../src/core/tools/builtin/time.js'
import type {Tool, ToolContext} from '../../../src/core/tools/tool.js'
import {contextIn, noon, type TemporaryHome, temporaryHome, use} from './context.js'

const named = (name: string): Tool => builtin.find((tool) => tool.name === name) as Tool

describe('built-in tools', () => {
  let place: TemporaryHome
  let context: ToolContext

  beforeEach(async () => {
    place = await temporaryHome()
    context = contextIn(place.home, [place.workspace])
  })
  afterEach(() => place.remove())

  const run = (name: string, input: unknown) => use(named(name), input, context)
  const write = (name: string, text: string | Buffer) => writeFile(join(place.workspace, name), text)

  /** The value of a call that has to succeed. */
  const resultOf = async <Value = never>(name: string, input: unknown): Promise<Value> => {
    const {status, output} = await run(name, input)
    expect(status, String(output.value)).to.equal('done')
    return output.value as Value
  }
  const textOfFailure = async (name: string, input: unknown): Promise<unknown> => {
    const {status, output} = await run(name, input)
    expect(status).to.equal('failed')
    return output.value
  }

  describe('time', () => {
    const zones: [asked: string, iso: string, weekday: string, zone: string][] = [
      ['UTC', '2026-11-21T12:00:00+00:00', 'Saturday', 'UTC'],
      ['Asia/Tokyo', '2026-11-21T21:00:00+09:00', 'Saturday', 'Asia/Tokyo'],
      ['tokyo', '2026-11-21T21:00:00+09:00', 'Saturday', 'Asia/Tokyo'],
      ['New York', '2026-11-21T07:00:00-05:00', 'Saturday', 'America/New_York'],
      ['Pacific/Kiritimati', '2026-11-22T02:00:00+14:00', 'Sunday', 'Pacific/Kiritimati'],
    ]
    for (const [asked, iso, weekday, zone] of zones) {
      it(`tells it in ${asked}`, async () => expect(await resultOf('time', {zone: asked})).to.include({iso, weekday, zone}))
    }

    it('knows a city that is only a link to another zone', async () => {
      expect(await resultOf('time', {zone: 'Kolkata'})).to.include({iso: '2026-11-21T17:30:00+05:30'})
    })

    it('tells it where this machine is when no zone is named', async () => {
      const {iso} = await resultOf<{iso: string}>('time', {})
      expect(new Date(iso)).to.deep.equal(noon)
    })

    it('pads the day', () => expect(timeIn(new Date('2026-02-03T04:05:06Z'), 'UTC').iso).to.equal('2026-02-03T04:05:06+00:00'))

    for (const zone of ['Atlantis', 'Europe/Nowhere', '../etc', '5 days', '']) {
      it(`does not know the zone "${zone}"`, async () => expect(await textOfFailure('time', {zone})).to.contain('no time zone'))
    }
  })

  describe('read', () => {
    it('gives a small file back as it is', async () => {
      await write('a.txt', 'one\r\ntwo\nthree')
      expect(await resultOf('read', {path: 'a.txt'})).to.equal('one\r\ntwo\nthree')
    })

    it('gives the asked lines and says how to go on', async () => {
      await write('a.txt', 'one\ntwo\nthree\nfour\n')
      expect(await resultOf('read', {path: 'a.txt', offset: 2, limit: 2})).to.equal(
        'two\nthree\n[more follows: read on with offset 4]',
      )
      expect(await resultOf('read', {path: 'a.txt', offset: 4})).to.equal('four\n')
      expect(await resultOf('read', {path: 'a.txt', offset: 9})).to.equal('(the file has only 4 lines)')
    })

    it('gives a large file in pieces that join to the whole', async () => {
      const whole = Array.from({length: 9000}, (_, at) => `line ${at + 1} with some ünïcödé to cross the chunks\n`).join('')
      await write('large.txt', whole)
      let joined = ''
      let pieces = 0
      for (let offset: number | undefined = 1; offset !== undefined; pieces++) {
        const piece: string = await resultOf<string>('read', {path: 'large.txt', offset, limit: 10_000})
        expect(Buffer.byteLength(piece)).to.be.at.most(50 * 1024 + 60)
        const mark = /\[more follows: read on with offset (\d+)\]$/.exec(piece)
        joined += mark ? piece.slice(0, mark.index) : piece
        offset = mark ? Number(mark[1]) : undefined
      }
      expect(joined).to.equal(whole)
      expect(pieces).to.be.above(5)
    })

    it('cuts a line that alone is too long, and goes on after it', async () => {
      await write('a.txt', `${'€'.repeat(40_000)}\nend\n`)
      const text = await resultOf<string>('read', {path: 'a.txt'})
      expect(text).to.match(
        /^€+\n\[line 1 is cut after 50 KB; the rest of it cannot be read; more follows: read on with offset 2\]$/,
      )
      expect(await resultOf('read', {path: 'a.txt', offset: 2})).to.equal('end\n')
    })

    it('says that a file is empty', async () => {
      await write('empty.txt', '')
      expect(await resultOf('read', {path: 'empty.txt'})).to.equal('(the file is empty)')
    })

    const refused: [what: string, make: (path: string) => Promise<unknown>, says: string][] = [
      ['a missing file', async () => {}, 'There is no "it".'],
      ['a folder', (path) => mkdir(path), 'is a folder'],
      ['a binary', (path) => writeFile(path, Buffer.from([137, 80, 78, 71, 0, 1])), 'not a text file'],
      ['a pipe', async (path) => execFileSync('mkfifo', [path]), 'not a regular file'],
      [
        '10 GB',
        (path) =>
          open(path, 'w')
            .then((file) => file.close())
            .then(() => truncate(path, 10 * 1024 ** 3)),
        'has 10 GB',
      ],
      ['a device', (path) => symlink('/dev/zero', path), 'outside the folders'],
    ]
    for (const [what, make, says] of refused) {
      it(`refuses ${what}`, async () => {
        await make(join(place.workspace, 'it'))
        expect(await textOfFailure('read', {path: 'it'})).to.contain(says)
      })
    }
  })

  describe('list', () => {
    it('shows folders first, then files with size and time', async () => {
      await mkdir(join(place.workspace, 'zoo'))
      await write('b.txt', '12345')
      await write('.hidden', '')
      await symlink('/etc/passwd', join(place.workspace, 'link'))
      await utimes(join(place.workspace, 'b.txt'), noon, noon)
      const {entries} = await resultOf<{entries: {name: string; type: string}[]}>('list', {})
      expect(entries.map(({name, type}) => [name, type])).to.deep.equal([
        ['zoo', 'folder'],
        ['.hidden', 'file'],
        ['b.txt', 'file'],
        ['link', 'link'],
      ])
      expect(entries[2]).to.deep.equal({name: 'b.txt', type: 'file', size: 5, modified: '2026-11-21T12:00:00Z'})
    })

    it('shows 200 entries and says that there are more', async () => {
      await Promise.all(Array.from({length: 230}, (_, at) => write(`f${at}`, '')))
      const {entries, more} = await resultOf<{entries: unknown[]; more: string}>('list', {path: '.'})
      expect(entries).to.have.length(200)
      expect(more).to.equal('only 200 of 230 shown')
    })

    it('says what is wrong with a folder', async () => {
      await write('file', '')
      expect(await textOfFailure('list', {path: 'nowhere'})).to.contain('There is no "nowhere"')
      expect(await textOfFailure('list', {path: 'file'})).to.contain('There is no "file"')
      expect(await textOfFailure('list', {path: '..'})).to.contain('outside the folders')
    })
  })

  describe('find', () => {
    beforeEach(async () => {
      for (const folder of ['docs/deep', 'node_modules/x', 'empty']) await mkdir(join(place.workspace, folder), {recursive: true})
      for (const file of ['Readme.md', 'docs/a.md', 'docs/deep/b.md', 'docs/deep/c.txt', 'node_modules/x/d.md'])
        await write(file, '')
      await symlink(place.home, join(place.workspace, 'docs/out'))
    })

    const table: [input: Record<string, string>, files: string[]][] = [
      [{pattern: '*.md'}, ['Readme.md', 'docs/a.md', 'docs/deep/b.md']],
      [{pattern: 'readme'}, ['Readme.md']],
      [{pattern: 'docs/*.md'}, ['docs/a.md']],
      [{pattern: '**/deep/*'}, ['docs/deep/b.md', 'docs/deep/c.txt']],
      [{pattern: '*.md', path: 'docs'}, ['a.md', 'deep/b.md']],
      [{pattern: 'node_modules/**'}, ['node_modules/x/d.md']],
      [{pattern: 'config.json'}, []],
      [{pattern: '../*'}, []],
    ]
    for (const [input, files] of table) {
      it(`answers ${JSON.stringify(input)}`, async () =>
        expect((await resultOf<{files: string[]}>('find', input)).files).to.deep.equal(files))
    }

    it('stops at 200 and says so', async () => {
      await Promise.all(Array.from({length: 201}, (_, at) => write(`docs/f${at}.log`, '')))
      const {files, more} = await resultOf<{files: string[]; more: string}>('find', {pattern: '*.log'})
      expect([files.length, more]).to.deep.equal([200, 'only 200 shown'])
    })

    it('leaves the home alone when it lies inside the folder', async () => {
      await writeFile(join(place.home, 'config.json'), '{}')
      context = contextIn(place.home, [join(place.home, '..')])
      expect((await resultOf<{files: string[]}>('find', {pattern: '*.json'})).files).to.deep.equal([])
    })

    it('says what is wrong', async () => {
      expect(await textOfFailure('find', {pattern: '*', path: '/etc'})).to.contain('outside the folders')
      expect(await textOfFailure('find', {pattern: '*', path: 'gone'})).to.contain('There is no "gone"')
      expect(await textOfFailure('find', {pattern: '{a,b}'.repeat(20)})).to.contain('alternatives')
    })
  })

  describe('remember and recall', () => {
    it('keep notes of the agent', async () => {
      const {file} = await resultOf<{file: string}>('remember', {text: 'Tea without sugar'})
      expect((await stat(join(place.home, 'agents/assistant/memory', file))).mode & 0o777).to.equal(0o600)
      const {lines} = await resultOf<{lines: {text: string}[]}>('recall', {query: 'SUGAR tea'})
      expect(lines).to.have.length(1)
      expect(lines[0]?.text).to.match(/^2026-11-2\d \d\d:\d\d Tea without sugar$/)
      expect(await resultOf('recall', {query: 'coffee'})).to.deep.equal({lines: []})
    })

    it('need some text', async () => expect(await textOfFailure('remember', {text: '  '})).to.contain('text:'))
  })

  describe('search_history', () => {
    it('searches the conversations of this agent only', async () => {
      const asked: unknown[] = []
      const hit = {
        sessionId: 's1',
        sessionTitle: null,
        turnId: 't1',
        messageId: 1,
        role: 'user',
        snippet: 'my [tea]',
        at: '2026-11-20T10:00:00.000Z',
      }
      context = contextIn(place.home, [], async (...query) => {
        asked.push(query)
        return {items: [hit], nextCursor: null}
      })
      expect(await resultOf('search_history', {query: ' tea '})).to.deep.equal({
        hits: [{session: 's1', role: 'user', at: hit.at, snippet: 'my [tea]'}],
        more: false,
      })
      expect(asked).to.deep.equal([['tea', {limit: 10, agentId: 'assistant'}]])
    })
  })

  it('all run without a question, and only remember writes', async () => {
    for (const tool of builtin) {
      const {level} = await tool.risk({}, context)
      expect(level, tool.name).to.equal(tool.name === 'remember' ? 'write' : 'safe')
      expect(tool.idempotent, tool.name).to.equal(tool.name !== 'remember')
    }
  })
})
