import {expect} from 'chai'
import {ReplyPrinter} from '../../src/cli/reply-printer.js'
import type {TurnEvent, TurnEventBody} from '../../src/core/agent/turn-event.js'

const usage = {inputTokens: 1204, outputTokens: 56, cachedTokens: 0, costUsd: 0.0021}
const delta = (text: string): TurnEventBody => ({type: 'text.delta', text})
const retrying: TurnEventBody = {type: 'turn.retrying', attempt: 2, reason: 'It broke off.', model: 'a/b', delayMs: 2000}
const done = (reply: string): TurnEventBody => ({type: 'turn.completed', reply, usage, model: 'a/b'})

/** What a screen or a pipe got, in the order in which it was written. */
async function print(events: TurnEventBody[], {terminal = true} = {}) {
  let both = ''
  let stdout = ''
  const output = {
    isTTY: terminal,
    write(text: string) {
      both += text
      stdout += text
    },
  }
  const stderr = {
    write(text: string) {
      both += `«${text.trimEnd()}»\n`
    },
  }
  const printer = new ReplyPrinter({stdout: output, stderr, detailed: terminal, quiet: false, before: async () => {}})
  for (const event of events) await printer.show({...event, id: 1, seq: 1, turnId: 't', sessionId: 's', at: ''} as TurnEvent)
  return {both, stdout}
}

describe('the printer of replies', () => {
  it('shows text on a terminal at once, and ends its line', async () => {
    expect((await print([delta('Hel')])).stdout).to.equal('Hel')
    expect((await print([delta('Hel'), delta('lo'), done('Hello')])).both).to.equal(
      'Hello\n«a/b · 1204 tokens in, 56 out · $0.0021»\n',
    )
  })

  it('marks on a terminal what was taken back', async () => {
    const {both} = await print([delta('Wro'), retrying, {type: 'text.reset'}, delta('Right'), done('Right')])
    expect(both).to.equal(
      [
        'Wro',
        '«It broke off. Trying a/b again in 2 s (attempt 2).»',
        '«The text above was broken off; the answer starts again.»',
        'Right',
        '«a/b · 1204 tokens in, 56 out · $0.0021»',
        '',
      ].join('\n'),
    )
  })

  it('holds text back in a pipe until it cannot be taken back', async () => {
    const pipe = {terminal: false}
    expect((await print([delta('Wrong'), retrying], pipe)).stdout).to.equal('')
    expect((await print([delta('Wrong'), retrying, {type: 'text.reset'}, delta('Right'), done('Right')], pipe)).stdout).to.equal(
      'Right\n',
    )
    const called: TurnEventBody = {type: 'tool.started', callId: 'c', name: 'read', input: {path: 'a'}}
    expect((await print([delta('Look'), called], pipe)).stdout).to.equal('Look\n')
  })

  it('keeps what was said before the turn was cancelled', async () => {
    const cancelled: TurnEventBody = {type: 'turn.cancelled', partial: 'Once'}
    for (const terminal of [true, false]) expect((await print([delta('Once'), cancelled], {terminal})).stdout).to.equal('Once\n')
  })

  it('prints the reply even when its deltas were lost', async () => {
    for (const terminal of [true, false]) {
      expect((await print([done('Hello')], {terminal})).stdout).to.equal('Hello\n')
      expect((await print([delta('He'), done('Hello')], {terminal})).stdout).to.match(/(^|\n)Hello\n$/)
    }
  })

  it('lets no escape sequence reach a terminal, and leaves a pipe as it is', async () => {
    const evil = 'a\x1b[2J\x1b]0;owned\x07b\r\x9b31mc'
    expect((await print([delta(evil), done(evil)])).stdout).to.equal('abc\n')
    expect((await print([delta(evil), done(evil)], {terminal: false})).stdout).to.equal(`${evil}\n`)
    const call: TurnEventBody = {type: 'tool.started', callId: 'c', name: 'read', input: {path: '\x1b[2Jx\u0007'}}
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect((await print([call])).both).to.not.match(/[\x00-\x09\x0b-\x1f]/)
  })
})
