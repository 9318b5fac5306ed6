import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import * as z from 'zod'
import {SvcError} from '../../../src/core/errors.js'
import {checkInput, runTool} from '../../../src/core/tools/run-tool.js'
import {type Tool, tool} from '../../../src/core/tools/tool.js'
import {contextIn} from './context.js'

const context = contextIn('/nowhere', [])

const making = (run: Tool['run'], timeoutMs?: number) =>
  tool({
    name: 'probe',
    description: '',
    input: z.unknown(),
    risk: () => ({level: 'safe'}),
    idempotent: true,
    run,
    ...(timeoutMs !== undefined && {timeoutMs}),
  })

const outcome = (run: Tool['run']) => runTool(making(run), {}, context)

describe('runTool', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle

  const outputs: [what: string, value: unknown, expected: unknown][] = [
    ['text', 'hello', {type: 'text', value: 'hello'}],
    ['a value', {a: [1, null]}, {type: 'json', value: {a: [1, null]}}],
    ['nothing', undefined, {type: 'text', value: '(no output)'}],
    ['a function', () => 1, {type: 'text', value: '(no output)'}],
    [
      'what JSON does not know',
      {at: new Date(0), big: 10n, none: undefined},
      {type: 'json', value: {at: '1970-01-01T00:00:00.000Z', big: '10'}},
    ],
    ['half a character and NUL', 'a\ud800b\0', {type: 'text', value: 'a\ufffdb\ufffd'}],
    ['the same inside a value', {a: '\ud800\0'}, {type: 'json', value: {a: '\ufffd\ufffd'}}],
  ]
  for (const [what, value, expected] of outputs) {
    it(`gives back ${what}`, async () =>
      expect(await outcome(async () => value)).to.deep.equal({status: 'done', output: expected}))
  }

  const failures: [what: string, run: Tool['run'], expected: string | RegExp][] = [
    [
      'an error',
      async () => {
        throw new Error('no disk')
      },
      'no disk',
    ],
    [
      'an error with a hint',
      async () => {
        throw new SvcError('not-found', 'No such file.', {hint: 'Try list.'})
      },
      'No such file.\nTry list.',
    ],
    [
      'something else thrown',
      async () => {
        throw 'text'
      },
      'text',
    ],
    [
      'a throw before the promise',
      () => {
        throw new Error('early')
      },
      'early',
    ],
    ['a circle', async () => circle, /circular/i],
  ]
  for (const [what, run, expected] of failures) {
    it(`tells of ${what}`, async () => {
      const {status, output} = await outcome(run)
      expect(status).to.equal('failed')
      expect(output.type).to.equal('error-text')
      expect(output.value).to.match(expected instanceof RegExp ? expected : new RegExp(`^${expected}$`))
    })
  }

  it('cuts long text at a character and marks it', async () => {
    const {output} = await outcome(async () => '€'.repeat(50_000))
    expect(output.value).to.match(/^€+\n\[output cut: the first 100 KB of 146\.5 KB\]$/)
  })

  it('gives a long value back as cut text', async () => {
    const {output} = await outcome(async () => ({long: 'x'.repeat(200_000)}))
    expect(output.type).to.equal('text')
    expect(output.value).to.contain('[output cut')
  })

  it('ends a tool that ignores its signal', async () => {
    const never = making(() => new Promise(() => {}), 20)
    expect(await runTool(never, {}, context)).to.deep.equal({
      status: 'timeout',
      output: {type: 'error-text', value: 'probe did not end within 0.02 s.'},
    })
  })

  it('ends such a tool on cancel too, and drops what it says later', async () => {
    const cancel = new AbortController()
    const late = making(async () => {
      await sleep(30)
      throw new Error('nobody listens')
    })
    const running = runTool(late, {}, {...context, signal: cancel.signal})
    cancel.abort()
    expect((await running).status).to.equal('cancelled')
    await sleep(50)
  })

  it('gives the tool a signal that tells of both', async () => {
    const obedient = making(async (_input, {signal}) => sleep(60_000, undefined, {signal}), 20)
    expect((await runTool(obedient, {}, context)).status).to.equal('timeout')
    const cancel = new AbortController()
    setTimeout(() => cancel.abort(), 10)
    const running = runTool(
      making(async (_input, {signal}) => sleep(60_000, undefined, {signal})),
      {},
      {...context, signal: cancel.signal},
    )
    expect((await running).status).to.equal('cancelled')
  })

  it('does not begin what is cancelled already', async () => {
    let began = false
    const signal = AbortSignal.abort()
    const run = making(async () => {
      began = true
    })
    expect((await runTool(run, {}, {...context, signal})).status).to.equal('cancelled')
    expect(began).to.equal(false)
  })
})

describe('checkInput', () => {
  const counter = tool({...making(async () => 0), name: 'count', input: z.object({to: z.int().default(3), by: z.string()})})

  it('fills defaults in and drops unknown keys', () => {
    expect(checkInput(counter, {by: 'one', other: 1})).to.deep.equal({ok: true, input: {to: 3, by: 'one'}})
  })

  const wrong: [raw: unknown, says: RegExp][] = [
    [{}, /- by: /],
    [{by: 'one', to: 'ten'}, /- to: .*number/],
    ['text', /- input: .*object/],
    [null, /- input: /],
  ]
  for (const [raw, says] of wrong) {
    it(`tells the model what is wrong with ${JSON.stringify(raw)}`, () => {
      const checked = checkInput(counter, raw)
      expect(checked.ok).to.equal(false)
      if (!checked.ok)
        expect(checked.message)
          .to.match(says)
          .and.match(/tool "count"; it did not run/)
    })
  }
})
