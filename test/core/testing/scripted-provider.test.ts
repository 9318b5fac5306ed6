import {expect} from 'chai'
import {ProviderFailure, type StepPart, type StepRequest} from '../../../src/core/models/provider.js'
import {createScriptedProvider, type Script} from '../../../src/core/testing/scripted-provider.js'

const request = (over: Partial<StepRequest> = {}): StepRequest => ({
  modelId: 'any',
  system: '',
  messages: [{role: 'user', content: 'hi'}],
  tools: [],
  maxOutputTokens: 100,
  thinking: undefined,
  timeoutMs: 20,
  signal: new AbortController().signal,
  ...over,
})

/** The parts of one step, and what it threw after them. */
async function play(script: Script, over: Partial<StepRequest> = {}) {
  const parts: StepPart[] = []
  try {
    for await (const part of createScriptedProvider('script', script).streamStep(request(over))) parts.push(part)
    return {parts, error: undefined}
  } catch (error) {
    return {parts, error}
  }
}

describe('the scripted provider', () => {
  it('says its text and finishes', async () => {
    const {parts} = await play([{reasoning: 'hm', text: ['one ', 'two'], usage: {inputTokens: 5}}])
    expect(parts).to.deep.equal([
      {type: 'reasoning', text: 'hm'},
      {type: 'text', text: 'one '},
      {type: 'text', text: 'two'},
      {
        type: 'finish',
        messages: [{role: 'assistant', content: [{type: 'text', text: 'one two'}]}],
        calls: [],
        usage: {inputTokens: 5, outputTokens: 0, cachedTokens: 0},
      },
    ])
  })

  it('asks for tools, with rising ids', async () => {
    const provider = createScriptedProvider('script', [
      {calls: [{name: 'time'}, {name: 'read', input: {path: 'a'}}]},
      {calls: [{name: 'time'}]},
    ])
    const ids: string[] = []
    for (let number = 0; number < 2; number++) {
      for await (const part of provider.streamStep(request()))
        if (part.type === 'finish') ids.push(...part.calls.map(({id}) => id))
    }
    expect(ids).to.deep.equal(['call_1', 'call_2', 'call_3'])
  })

  it('follows a function of the request', async () => {
    const {parts} = await play(({modelId}, number) => `${modelId} ${number}`)
    expect(parts[0]).to.deep.equal({type: 'text', text: 'any 1'})
  })

  it('keeps each request as it was', async () => {
    const provider = createScriptedProvider('script', ['ok'])
    const messages = [{role: 'user' as const, content: 'hi'}]
    for await (const _part of provider.streamStep(request({messages}))) messages.push({role: 'user', content: 'later'})
    expect(provider.requests.map((asked) => asked.messages.length)).to.deep.equal([1])
  })

  it('fails after its text', async () => {
    const failure = new ProviderFailure('provider-rate-limit', 'slow down', {retryable: true})
    const {parts, error} = await play([{text: 'some', end: 'fail', failure}])
    expect(parts).to.have.length(1)
    expect(error).to.equal(failure)
  })

  it('is cut without a finish', async () => {
    expect(await play([{text: 'some', end: 'cut'}])).to.deep.equal({parts: [{type: 'text', text: 'some'}], error: undefined})
  })

  it('stalls until the time is up, or the caller aborts', async () => {
    expect((await play([{end: 'stall'}])).error).to.include({code: 'provider-timeout', retryable: true})
    const cancel = new AbortController()
    const reason = new Error('stop')
    setTimeout(() => cancel.abort(reason), 10)
    expect((await play([{end: 'stall'}], {signal: cancel.signal, timeoutMs: 60_000})).error).to.equal(reason)
  })

  it('waits for the test to let go, or the caller to abort', async () => {
    const gate = Promise.withResolvers<void>()
    const playing = play([{until: gate.promise, text: 'now'}])
    gate.resolve()
    expect((await playing).parts).to.have.length(2)
    const cancel = new AbortController()
    const waiting = play([{until: new Promise(() => {})}], {signal: cancel.signal})
    cancel.abort(new Error('stop'))
    expect((await waiting).error).to.have.property('message', 'stop')
  })

  it('has nothing beyond its script', async () =>
    expect((await play([])).error).to.have.property('message', 'The script of "script" has no step 1.'))
})
