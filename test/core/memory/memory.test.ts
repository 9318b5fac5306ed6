import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {longestNote, memoryFolder, readMemory, recall, remember} from '../../../src/core/memory/memory.js'

const noon = new Date(2026, 10, 21, 12, 0)
const tomorrow = new Date(2026, 10, 22, 9, 30)

describe('the memory of an agent', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'svc-memory-'))
  })
  afterEach(() => rm(home, {recursive: true, force: true}))

  const file = (name: string) => join(memoryFolder(home, 'main'), name)
  const texts = async (query: string) => (await recall(home, 'main', query)).map(({text}) => text)

  it('adds dated lines to the note of the day', async () => {
    await remember(home, 'main', 'tea without sugar', noon)
    await remember(home, 'main', 'a dog called Rex', noon)
    await remember(home, 'main', 'moved to Bern', tomorrow)
    expect(await readFile(file('2026-11-21.md'), 'utf8')).to.equal(
      '- 2026-11-21 12:00 tea without sugar\n- 2026-11-21 12:00 a dog called Rex\n',
    )
    expect(await readFile(file('2026-11-22.md'), 'utf8')).to.equal('- 2026-11-22 09:30 moved to Bern\n')
  })

  it('is for its owner only', async () => {
    await remember(home, 'main', 'secret', noon)
    for (const path of ['agents', 'agents/main', 'agents/main/memory'])
      expect((await stat(join(home, path))).mode & 0o777, path).to.equal(0o700)
    expect((await stat(file('2026-11-21.md'))).mode & 0o777).to.equal(0o600)
  })

  const dirty: [text: string, line: string][] = [
    ['one\n- two\r\n# three', 'one - two # three'],
    ['a\u2028b\u0000c\u001b[31m', 'a b c [31m'],
    ['\u202eevil\u2066 text\ufeff', 'evil text'],
    ['  family 👨\u200d👩\u200d👧  ', 'family 👨\u200d👩\u200d👧'],
    ['half \ud800', 'half \ufffd'],
    ['x'.repeat(longestNote + 5), 'x'.repeat(longestNote)],
  ]
  for (const [text, line] of dirty) {
    it(`keeps ${JSON.stringify(text.slice(0, 30))} as one line`, async () => {
      expect((await remember(home, 'main', text, noon)).text).to.equal(`2026-11-21 12:00 ${line}`)
      expect((await readFile(file('2026-11-21.md'), 'utf8')).split('\n')).to.have.length(2)
    })
  }

  it('refuses a note of nothing', async () => {
    expect(await remember(home, 'main', ' \n\u202e ', noon).catch(({code}) => code)).to.equal('invalid-input')
  })

  it('begins a new line after an editor that left none', async () => {
    await mkdir(memoryFolder(home, 'main'), {recursive: true})
    await writeFile(file('2026-11-21.md'), '- written by hand')
    await remember(home, 'main', 'and by me', noon)
    expect(await readFile(file('2026-11-21.md'), 'utf8')).to.equal('- written by hand\n- 2026-11-21 12:00 and by me\n')
  })

  it('refuses more when the note of the day is full', async () => {
    await mkdir(memoryFolder(home, 'main'), {recursive: true})
    await writeFile(file('2026-11-21.md'), 'x'.repeat(300_000))
    expect(await remember(home, 'main', 'more', noon).catch(({code}) => code)).to.equal('too-large')
  })

  it('writes over no link', async () => {
    await mkdir(memoryFolder(home, 'main'), {recursive: true})
    await writeFile(join(home, 'config.json'), '{}')
    await symlink(join(home, 'config.json'), file('2026-11-21.md'))
    await remember(home, 'main', 'x', noon).catch(() => {})
    expect(await readFile(join(home, 'config.json'), 'utf8')).to.equal('{}')
  })

  it('keeps lines whole when processes write at once', async () => {
    const module = new URL('../../../src/core/memory/memory.ts', import.meta.url).href
    const script = (name: string) =>
      `import(${JSON.stringify(module)}).then(async ({remember}) => {
        for (let at = 0; at < 50; at++) await remember(${JSON.stringify(home)}, 'main', '${name} '.repeat(100) + at, new Date(2026, 10, 21, 12))
      })`
    const writers = ['ant', 'bee', 'cat'].map((name) =>
      spawn(process.execPath, ['--import', 'tsx', '-e', script(name)], {stdio: 'inherit'}),
    )
    await Promise.all(writers.map((writer) => once(writer, 'exit')))
    const lines = (await readFile(file('2026-11-21.md'), 'utf8')).trimEnd().split('\n')
    expect(lines).to.have.length(150)
    for (const line of lines) expect(line).to.match(/^- 2026-11-21 12:00 (\w+ )\1{99}\d+$/)
  })

  describe('recall', () => {
    beforeEach(async () => {
      await remember(home, 'main', 'Tea in the morning', noon)
      await remember(home, 'main', 'tea, green tea and more tea', noon)
      await remember(home, 'main', 'Café Bräuning closes on Monday', noon)
      await remember(home, 'main', 'No more tea', tomorrow)
      await writeFile(file('MEMORY.md'), '# About me\n- I am called Kim\n')
    })

    it('ranks by how often the words occur, then the newest first', async () => {
      expect(await texts('tea')).to.deep.equal([
        '2026-11-21 12:00 tea, green tea and more tea',
        '2026-11-22 09:30 No more tea',
        '2026-11-21 12:00 Tea in the morning',
      ])
    })
    it('wants all words, in any order', async () => {
      expect(await texts('more green')).to.deep.equal(['2026-11-21 12:00 tea, green tea and more tea'])
      expect(await texts('tea coffee')).to.deep.equal([])
    })
    it('looks past case, accents and punctuation', async () => {
      expect(await texts('CAFE, brauning!')).to.deep.equal(['2026-11-21 12:00 Café Bräuning closes on Monday'])
    })
    it('looks into the file of the owner', async () => expect(await texts('kim')).to.deep.equal(['I am called Kim']))
    it('gives the newest notes when nothing is asked', async () => expect((await texts(''))[0]).to.contain('No more tea'))
    it('knows nothing of another agent', async () => expect(await recall(home, 'other', 'tea')).to.deep.equal([]))
  })

  describe('for the prompt', () => {
    it('is empty at first', async () => expect(await readMemory(home, 'main')).to.equal(''))

    it("is the owner's file and then the newest notes, in whole lines", async () => {
      await remember(home, 'main', 'first', noon)
      await remember(home, 'main', 'second', tomorrow)
      await writeFile(file('MEMORY.md'), '# About me\n\nKim\n')
      const whole = '# About me\nKim\n- 2026-11-22 09:30 second\n- 2026-11-21 12:00 first'
      expect(await readMemory(home, 'main')).to.equal(whole)
      expect(await readMemory(home, 'main', 50)).to.equal(
        '# About me\nKim\n- 2026-11-22 09:30 second\n[more in the memory: use recall]',
      )
    })

    it('does not wait for a pipe somebody left there', async () => {
      await remember(home, 'main', 'first', noon)
      execFileSync('mkfifo', [file('MEMORY.md')])
      expect(await readMemory(home, 'main')).to.equal('- 2026-11-21 12:00 first')
    })
  })

  for (const id of ['..', 'a/b', '', 'x'.repeat(65), '.']) {
    it(`has no folder for the agent id "${id.slice(0, 5)}"`, () =>
      expect(() => memoryFolder(home, id)).to.throw('id of an agent'))
  }
})
