import {once} from 'node:events'
import {expect} from 'chai'
import {failures} from '../../src/core/errors.js'
import {finish, runFixture, startFixture} from '../support/run-svc.js'

describe('every command', () => {
  it('prints what it returns as one object under --json, with its warnings inside', async () => {
    const {code, stdout, stderr} = await runFixture(['show', '7', '--json'])
    expect(JSON.parse(stdout)).to.deep.equal({
      schemaVersion: 1,
      ok: true,
      item: {id: '7', count: 1},
      warnings: ['The item is old.'],
    })
    expect([code, stderr]).to.deep.equal([0, ''])
  })

  it('prints an object even when it returns nothing', async () => {
    const {stdout} = await runFixture(['nothing', '--json'])
    expect(JSON.parse(stdout)).to.deep.equal({schemaVersion: 1, ok: true})
  })

  it('keeps data on stdout and everything else on stderr', async () => {
    const loud = await runFixture(['show', '7'])
    expect([loud.stdout, loud.stderr]).to.deep.equal(['item 7\n', 'looking\nWarning: The item is old.\n'])
    const quiet = await runFixture(['show', '7', '--quiet'])
    expect([quiet.stdout, quiet.stderr]).to.deep.equal(['item 7\n', 'Warning: The item is old.\n'])
  })

  it('takes the common flags before its name too', async () => {
    const {code, stdout} = await runFixture(['--json', '--quiet', 'jobs', 'list'])
    expect(code).to.equal(0)
    expect(JSON.parse(stdout)).to.have.property('jobs').with.length(2)
  })

  it('leaves stdin to the command when an argument is missing', async () => {
    const {stdout} = await runFixture(['optional', '--json'], {input: 'hi\n'})
    expect(JSON.parse(stdout)).to.include({word: null, input: 'hi\n'})
  })

  it('lists rows as tab-separated lines in a pipe, with ISO times and without control characters', async () => {
    const {stdout} = await runFixture(['jobs', 'list'])
    expect(stdout).to.equal('j1\tMorning news\t12\t2026-11-22T07:00:00.000Z\nj2\tEvil\t3\t\n')
  })

  it('does not ask where no one can answer, and names the flag', async () => {
    const asked = await runFixture(['delete'])
    expect([asked.code, asked.stderr]).to.deep.equal([
      2,
      'Error: Delete everything? No one is there to answer.\nTry: svc delete --yes\n',
    ])
    const sure = await runFixture(['delete', '--yes', '--json'])
    expect(JSON.parse(sure.stdout)).to.include({deleted: true})
  })

  it('ends well when its reader has seen enough', async () => {
    const child = await startFixture(['lines'])
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = await once(child, 'exit')
    expect(code).to.equal(0)
  })

  it('can keep what it has at the first Ctrl-C', async () => {
    const child = await startFixture(['wait'])
    child.stdout.once('data', () => child.kill('SIGINT'))
    const {code, stdout} = await finish(child)
    expect([code, stdout]).to.deep.equal([130, 'waiting\nkept 3 words\n'])
  })
})

describe('a command that fails', () => {
  it('says what happened, why, and what to try, and never lets a text drive the terminal', async () => {
    const {code, stdout, stderr} = await runFixture(['fail', 'not-found'])
    expect([code, stdout]).to.deep.equal([3, ''])
    expect(stderr.split('\n').slice(1)).to.deep.equal([
      'Error: It did not work.',
      'models.aliases["gpt5.6"]: points nowhere',
      'Try: svc show 1',
      '',
    ])
  })

  it('prints the error as an object under --json', async () => {
    const {code, stdout, stderr} = await runFixture(['fail', 'unauthorized', '--json'])
    const {error, ...envelope} = JSON.parse(stdout)
    expect(envelope).to.deep.equal({schemaVersion: 1, ok: false, warnings: ['Just before it failed.']})
    expect(error).to.include({code: 'unauthorized', hint: 'svc show 1', exit: 4})
    expect(error.issues[0].path).to.deep.equal(['models', 'aliases', 'gpt5.6'])
    expect([code, stderr]).to.deep.equal([4, ''])
  })

  for (const code of ['awaiting-approval', 'gateway-unreachable', 'bad-config'] as const) {
    it(`exits ${failures[code].exit} with ${code}`, async () => {
      expect((await runFixture(['fail', code])).code).to.equal(failures[code].exit)
    })
  }

  it('calls an unexpected error a bug, numbers it, and shows the stack only on demand', async () => {
    const brief = await runFixture(['bug'])
    expect(brief.code).to.equal(70)
    expect(brief.stderr).to.match(
      /^Error: svc has a bug \([0-9a-f]{8}\)\.\nTypeError: x is not a function\nTry: .*--verbose.*\n$/,
    )
    const full = await runFixture(['bug', '--json', '--verbose'])
    expect(JSON.parse(full.stdout).error).to.include({code: 'internal', exit: 70, why: 'TypeError: x is not a function'})
    expect(full.stderr).to.include('bug.ts')
  })
})

describe('a command line that does not parse', () => {
  const cases: [string[], string][] = [
    [['show'], 'Missing argument: id (which item).'],
    [['show', '1', '--cuont', '3'], 'Unknown flag --cuont.'],
    [['show', '1', '--count', 'x'], '--count: Expected an integer but received: x.'],
    [['show', '1', '--level', 'mid'], 'Expected --level=mid to be one of: low, high.'],
    [['show', '1', '2'], 'Unexpected argument: 2.'],
  ]
  for (const [args, detail] of cases) {
    it(`svc ${args.join(' ')}: ${detail}`, async () => {
      const {code, stdout} = await runFixture([...args, '--json'])
      expect(JSON.parse(stdout).error).to.deep.equal({code: 'invalid-input', detail, hint: 'svc show --help', exit: 2})
      expect(code).to.equal(2)
    })
  }

  it('suggests the nearest command on stderr and does not ask', async () => {
    const {code, stdout, stderr} = await runFixture(['shwo', '1'])
    expect([code, stdout, stderr]).to.deep.equal([2, '', 'Error: svc has no command "shwo 1".\nTry: svc show\n'])
    expect((await runFixture(['jobs', 'lsit'])).stderr).to.include('Try: svc jobs list')
    expect((await runFixture(['zzzzzz'])).stderr).to.include('Try: svc --help')
    expect(JSON.parse((await runFixture(['shwo', '--json'])).stdout).error).to.include({code: 'invalid-input', hint: 'svc show'})
  })

  it('prints help without a command, and an error where a program reads', async () => {
    const bare = await runFixture([])
    expect([bare.code, bare.stdout]).to.satisfy(([code, text]: [number, string]) => code === 0 && text.includes('COMMANDS'))
    const topic = await runFixture(['jobs', '--json'])
    expect([topic.code, JSON.parse(topic.stdout).error.detail]).to.deep.equal([2, 'svc jobs needs a command after it.'])
  })
})
