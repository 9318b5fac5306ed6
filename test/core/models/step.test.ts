import type {ModelMessage} from 'ai'
import {expect} from 'chai'
import type {StepRequest} from '../../../src/core/models/provider.js'
import {type ModelServer, type Protocol, type Said, startModelServer} from '../../support/model-server.js'
import {modelsAt, protocols, secretKey, step, timeTool} from './support.js'

describe('A model step', () => {
  let server: ModelServer

  before(async () => {
    server = await startModelServer({script: []})
  })
  after(() => server.close())

  const call = (protocol: Protocol, say: Said, changes: Partial<StepRequest> = {}) => {
    server.play([{say}])
    return step(modelsAt(server.baseURL), protocol, changes)
  }
  const sent = () => server.requests.at(-1)?.body

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      it('streams text and reasoning, then finishes with the message and what it used', async () => {
        const usage = {input: 900, output: 20, cached: 600}
        const {text, reasoning, finish} = await call(protocol, {reasoning: 'Hm.', text: ['Po', 'ng'], usage})
        expect({text, reasoning}).to.deep.equal({text: 'Pong', reasoning: 'Hm.'})
        expect(finish?.usage).to.deep.equal({inputTokens: 900, outputTokens: 20, cachedTokens: 600})
        expect(finish?.calls).to.deep.equal([])
        expect(finish?.messages).to.have.length(1)
        expect(finish?.messages[0]).to.have.property('role', 'assistant')
      })

      it('asks for tools and runs none', async () => {
        const calls = [
          {id: 'one', name: 'time', input: {zone: 'UTC'}},
          {id: 'two', name: 'time', input: {}},
        ]
        const {finish} = await call(protocol, {text: 'Looking.', calls})
        expect(finish?.calls).to.deep.equal(calls)
        expect(finish?.messages.every((message) => message.role === 'assistant')).to.equal(true)
      })

      it('hands on a call whose input is no JSON, or whose tool does not exist, as invalid', async () => {
        const calls = [
          {id: 'one', name: 'time', input: '{"zone": '},
          {id: 'two', name: 'launch', input: {}},
          {id: 'three', name: 'time', input: {zone: 'UTC'}},
        ]
        const {finish} = await call(protocol, {calls})
        expect(finish?.calls.map((one) => one.invalid)).to.deep.equal([
          'The input is not valid JSON: {"zone": ',
          'There is no tool "launch". There is: time.',
          undefined,
        ])
        const [message] = finish?.messages ?? []
        const inputs =
          message && typeof message.content !== 'string' && message.content.map((part) => 'input' in part && part.input)
        expect(inputs).to.deep.equal([{}, {}, {zone: 'UTC'}])
      })

      it('keeps a reply that reached its length', async () => {
        const {text, finish} = await call(protocol, {text: 'Once upon', finish: 'length'})
        expect(text).to.equal('Once upon')
        expect(finish).to.not.equal(undefined)
      })

      it('sends no tool field when there are no tools, and a history with calls as text', async () => {
        await call(protocol, {text: 'ok'}, {tools: [], messages: historyWithCalls})
        const body = JSON.stringify(sent())
        expect(sent()).to.not.have.any.keys('tools', 'tool_choice')
        expect(body).to.contain('I called time with {\\"zone\\":\\"UTC\\"}').and.to.contain('time answered: noon')
        expect(body).to.not.match(/tool_use|tool_result|tool_calls|function_call|"role":"tool"|call_0|Sealed thoughts/)
      })

      it('takes back what any provider said', async () => {
        for (const author of protocols) {
          const {finish} = await call(author, {
            reasoning: 'Hm.',
            text: 'Looking.',
            calls: [{id: 'one', name: 'time', input: {zone: 'UTC'}}],
          })
          const messages: ModelMessage[] = [
            {role: 'user', content: 'ping'},
            ...(finish?.messages ?? []),
            {
              role: 'tool',
              content: [{type: 'tool-result', toolCallId: 'one', toolName: 'time', output: {type: 'text', value: 'noon'}}],
            },
          ]
          const next = await call(protocol, {text: 'It is noon.'}, {messages})
          expect(next.text, `${author} → ${protocol}`).to.equal('It is noon.')
          expect(JSON.stringify(sent())).to.contain('noon').and.to.contain('Looking.')
        }
      })

      it('always says how long the reply may be', async () => {
        await call(protocol, {text: 'ok'}, {maxOutputTokens: 777})
        expect(sent().max_output_tokens ?? sent().max_tokens).to.equal(777)
      })

      it('adds less than 600 bytes to what it was given', async () => {
        await call(protocol, {text: 'ok'})
        const given = JSON.stringify([timeTool, 'Be brief.', 'ping'])
        expect(JSON.stringify(sent()).length - given.length).to.be.lessThan(600)
      })

      it('carries the key in its header only', async () => {
        await call(protocol, {text: 'ok'})
        const request = server.requests.at(-1)
        expect(request?.headers['x-api-key'] ?? request?.headers.authorization).to.contain(secretKey)
        expect(`${request?.path}${JSON.stringify(request?.body)}`).to.not.contain(secretKey)
      })
    })
  }

  it('asks OpenAI to keep nothing and to seal its reasoning', async () => {
    await call('openai', {text: 'ok'}, {modelId: 'gpt-5.6-sol', thinking: 'high'})
    expect(sent()).to.deep.include({store: false, include: ['reasoning.encrypted_content']})
    expect(sent().reasoning.effort).to.equal('high')
  })

  it('gives OpenAI its sealed reasoning back', async () => {
    const {finish} = await call('openai', {reasoning: 'Hm.', text: 'Pong'}, {modelId: 'gpt-5.6-sol'})
    const messages: ModelMessage[] = [
      {role: 'user', content: 'ping'},
      ...(finish?.messages ?? []),
      {role: 'user', content: 'again'},
    ]
    await call('openai', {text: 'ok'}, {modelId: 'gpt-5.6-sol', messages})
    expect(JSON.stringify(sent().input)).to.contain('"encrypted_content":"c2VhbGVk"')
  })

  it('asks compatible servers for the usage', async () => {
    await call('openai-compatible', {text: 'ok'})
    expect(sent().stream_options).to.deep.equal({include_usage: true})
  })

  it('marks for Anthropic’s cache the system text and the newest message', async () => {
    await call('anthropic', {text: 'ok'}, {messages: historyWithCalls})
    const mark = {type: 'ephemeral'}
    expect(sent().system[0].cache_control).to.deep.equal(mark)
    expect(sent().messages.at(-1).content.at(-1).cache_control).to.deep.equal(mark)
    expect(JSON.stringify(sent()).match(/cache_control/g)).to.have.length(2)
    await call('anthropic', {text: 'ok'}, {system: ''})
    expect(sent().tools.at(-1).cache_control).to.deep.equal(mark)
  })

  it('counts what Anthropic wrote to its cache', async () => {
    const {finish} = await call('anthropic', {text: 'ok', usage: {input: 100, output: 2, cached: 30, cacheWrite: 50}})
    expect(finish?.usage).to.deep.equal({inputTokens: 100, outputTokens: 2, cachedTokens: 30, cacheWriteTokens: 50})
  })

  it('leaves the request it was given alone', async () => {
    const messages = structuredClone(historyWithCalls)
    for (const protocol of protocols) await call(protocol, {text: 'ok'}, {messages, tools: []})
    expect(messages).to.deep.equal(historyWithCalls)
  })
})

const historyWithCalls: ModelMessage[] = [
  {role: 'user', content: 'What time is it?'},
  {
    role: 'assistant',
    content: [
      {type: 'reasoning', text: 'Sealed thoughts'},
      {type: 'text', text: 'Looking.'},
      {type: 'tool-call', toolCallId: 'call_0', toolName: 'time', input: {zone: 'UTC'}},
    ],
  },
  {role: 'tool', content: [{type: 'tool-result', toolCallId: 'call_0', toolName: 'time', output: {type: 'text', value: 'noon'}}]},
]
