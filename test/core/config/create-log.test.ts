import {mkdir, readdir, readFile, stat, utimes, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {createLog} from '../../../src/core/config/create-log.js'
import {SvcError} from '../../../src/core/errors.js'
import {tempFolder} from '../../support/temp.js'

type LogOptions = Parameters<typeof createLog>[0]

const secret = 'hunter2-is-not-enough'

async function logTo(folder: string, options: Partial<LogOptions> = {}) {
  const file = join(folder, 'logs', 'svc.log')
  return {file, log: createLog({level: 'debug', file, maxMb: 10, days: 14, secrets: [secret], ...options})}
}

async function linesOf(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** What `work` writes to stderr. */
async function stderrOf(work: () => unknown): Promise<string> {
  const {write} = process.stderr
  let written = ''
  process.stderr.write = (chunk: string | Uint8Array) => {
    written += chunk
    return true
  }
  try {
    await work()
  } finally {
    process.stderr.write = write
  }
  return written
}

describe('createLog', () => {
  it('writes a JSON line each, in order, for its owner alone', async () => {
    const {file, log} = await logTo(await tempFolder())
    for (let n = 0; n < 100; n++) log.info('line', {n})
    await log.close()
    const lines = await linesOf(file)
    expect(lines.map((line) => line.n)).to.deep.equal(Array.from({length: 100}, (_, n) => n))
    expect(lines[0]).to.include({level: 'info', msg: 'line', pid: process.pid})
    expect(new Date(String(lines[0]?.time)).toISOString()).to.equal(lines[0]?.time)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect((await stat(join(file, '..'))).mode & 0o777).to.equal(0o700)
  })

  it('appends, and tightens a file others can read', async () => {
    const {file, log} = await logTo(await tempFolder())
    await mkdir(join(file, '..'))
    await writeFile(file, '{"msg":"before"}\n', {mode: 0o644})
    log.info('after')
    await log.close()
    expect((await linesOf(file)).map((line) => line.msg)).to.deep.equal(['before', 'after'])
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('does nothing until there is something to say', async () => {
    const folder = await tempFolder()
    const {log} = await logTo(folder, {level: 'warn'})
    log.debug('too low')
    log.info('too low')
    await log.close()
    expect(await readdir(folder)).to.deep.equal([])
  })

  it('leaves secrets out of messages, fields at any depth, errors and stacks', async () => {
    const {file, log} = await logTo(await tempFolder())
    const cause = new Error(`cause ${secret}`)
    const error = Object.assign(new SvcError('internal', `failed with ${secret}`, {hint: secret, cause}), {extra: [secret]})
    log.error(`message ${secret}`, {
      deep: [{er: {[secret]: new Map([[secret, secret]])}}],
      error,
      url: new URL(`http://x/?q=${secret}`),
    })
    log.warn('by name', {
      headers: {Authorization: 'Basic x', 'Set-Cookie': 'y', 'x-api-key': {nested: 'z'}},
      apiKey: 'plain',
      token: null,
      password: 'p',
      inputTokens: 5,
      token_count: 7,
    })
    await log.close()
    const text = await readFile(file, 'utf8')
    expect(text).not.to.contain(secret)
    const [first, second] = await linesOf(file)
    expect(first?.error).to.include({name: 'SvcError', message: 'failed with [REDACTED]', code: 'internal', hint: '[REDACTED]'})
    expect(first?.error).to.have.nested.property('cause.message', 'cause [REDACTED]')
    expect(first?.error).to.have.property('stack').that.is.an('array')
    expect(second).to.deep.include({
      headers: {Authorization: '[REDACTED]', 'Set-Cookie': '[REDACTED]', 'x-api-key': '[REDACTED]'},
      apiKey: '[REDACTED]',
      token: null,
      password: '[REDACTED]',
      inputTokens: 5,
      token_count: 7,
    })
  })

  it('escapes what could forge a line or act on a terminal', async () => {
    const {file, log} = await logTo(await tempFolder(), {stderr: 'pretty'})
    const shown = await stderrOf(async () => {
      log.info('a\nb\u001b[2J', {'k\r': 'v\u202e'})
    })
    await log.close()
    expect(shown).to.match(/^\d\d:\d\d:\d\d info {2}a\\nb\\u001b\[2J k\\r="v\\\\u202e"\n$/)
    expect((await linesOf(file))[0]).to.include({msg: 'a\\nb\\u001b[2J', 'k\\r': 'v\\u202e'})
  })

  it('survives whatever it is given', async () => {
    const {file, log} = await logTo(await tempFolder())
    const circle: Record<string, unknown> = {big: 1n, date: new Date(Number.NaN), bytes: Buffer.from('abc'), fn: () => 1}
    circle.self = circle
    Object.defineProperty(circle, 'trap', {enumerable: true, get: () => raise()})
    const raise = () => {
      throw new Error('no')
    }
    log.info('odd', {circle, text: 'x'.repeat(20_000), lone: '\ud800', msg: 'mine', level: 'mine', undefined})
    await log.close()
    const [line] = await linesOf(file)
    expect(line).to.include({msg: 'odd', msg_: 'mine', level: 'info', level_: 'mine'})
    expect(line?.circle).to.deep.equal({
      big: '1',
      date: null,
      bytes: '[3 bytes]',
      fn: '[function]',
      self: '[circular]',
      trap: '[unreadable]',
    })
    expect(String(line?.text)).to.have.length.below(8300)
  })

  it('rotates by size and drops what is too old', async () => {
    const folder = await tempFolder()
    const {file, log} = await logTo(folder, {maxMb: 0.02})
    const old = join(folder, 'logs', 'svc-20260101T000000-1.log')
    const foreign = join(folder, 'logs', 'svc-notes.log')
    await mkdir(join(folder, 'logs'))
    for (const path of [old, foreign]) {
      await writeFile(path, '')
      await utimes(path, 0, 0)
    }
    for (let n = 0; n < 200; n++) log.info('x'.repeat(200), {n})
    await log.close()
    const names = (await readdir(join(folder, 'logs'))).sort()
    expect(names).to.contain('svc.log').and.to.contain('svc-notes.log').and.not.to.contain('svc-20260101T000000-1.log')
    expect(names.length).to.be.above(3)
    const counts = await Promise.all(
      names.filter((name) => name !== 'svc-notes.log').map((name) => readFile(join(file, '..', name), 'utf8')),
    )
    expect(counts.join('').trimEnd().split('\n')).to.have.length(200)
    for (const name of names.filter((name) => /^svc(-2|\.)/.test(name))) {
      expect((await stat(join(folder, 'logs', name))).mode & 0o777).to.equal(0o600)
    }
  })

  it('says once on stderr that the file cannot be written, and goes on', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'logs'), '')
    const {log} = await logTo(folder, {stderr: 'json'})
    const shown = await stderrOf(async () => {
      log.info('one')
      await log.close()
      log.info('two')
      await log.close()
    })
    const lines = shown
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((line) => line.msg)).to.deep.equal(['one', 'The log file cannot be written; lines are lost.', 'two'])
  })
})
