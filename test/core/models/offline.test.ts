import {readFile} from 'node:fs/promises'
import type {ModelMessage} from 'ai'
import {expect} from 'chai'
import {ProviderFailure, type RequestedCall, type StepPart, type StepRequest} from '../../../src/core/models/provider.js'
import {rules, understand} from '../../../src/core/models/providers/offline/grammar.js'
import {offlineNotice} from '../../../src/core/models/providers/offline/notice.js'
import {createOfflineProvider} from '../../../src/core/models/providers/offline.js'
import {createToolRegistry} from '../../../src/core/tools/create-tool-registry.js'
import {agentWith, contextIn, temporaryHome, use} from '../tools/context.js'

const tools = createToolRegistry().forAgent(agentWith(null))
const user = (content: string): ModelMessage => ({role: 'user', content})

function request(messages: ModelMessage[], over: Partial<StepRequest> = {}): StepRequest {
  const signal = new AbortController().signal
  return {
    modelId: 'assistant',
    system: 'You are an agent.',
    messages,
    tools,
    maxOutputTokens: 1000,
    thinking: undefined,
    timeoutMs: 1000,
    signal,
    ...over,
  }
}

async function step(messages: ModelMessage[], over: Partial<StepRequest> = {}) {
  const parts: StepPart[] = []
  for await (const part of createOfflineProvider().streamStep(request(messages, over))) parts.push(part)
  const finish = parts.at(-1)
  if (finish?.type !== 'finish') throw new Error('The step did not finish.')
  return {parts, finish, text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')}
}

const calls = async (text: string, over: Partial<StepRequest> = {}): Promise<Pick<RequestedCall, 'name' | 'input'>[]> =>
  (await step([user(text)], over)).finish.calls.map(({name, input}) => ({name, input}))

/** Lets the model call real tools, as the engine does, and returns its last words. */
async function converse(text: string, context: ReturnType<typeof contextIn>): Promise<string> {
  const messages = [user(text)]
  const registry = createToolRegistry()
  for (let round = 0; round < 3; round++) {
    const {finish, text: reply} = await step(messages)
    messages.push(...finish.messages)
    if (finish.calls.length === 0) return reply
    for (const {id, name, input} of finish.calls) {
      const tool = registry.find(agentWith(null), name)
      if (!tool) throw new Error(`There is no tool ${name}.`)
      const {output} = await use(tool, input, context)
      messages.push({role: 'tool', content: [{type: 'tool-result', toolCallId: id, toolName: name, output: output as never}]})
    }
  }
  throw new Error('The model does not stop calling tools.')
}

describe('the offline model', () => {
  const table: [words: string, tool: string, input: Record<string, unknown>][] = [
    ['what time is it?', 'time', {}],
    ['What time is it', 'time', {}],
    ['  WHAT TIME IS IT???  ', 'time', {}],
    ['What’s the time?', 'time', {}],
    ['time', 'time', {}],
    ["what's today's date?", 'time', {}],
    ['what day is it today?', 'time', {}],
    ['What date is it?', 'time', {}],
    ['please tell me the time', 'time', {}],
    ['Can you tell me the time, please?', 'time', {}],
    ['what time is it in Tokyo?', 'time', {zone: 'Tokyo'}],
    ['what time is it in New York right now?', 'time', {zone: 'New York'}],
    ['time in Europe/Berlin', 'time', {zone: 'Europe/Berlin'}],
    ['what time is it now in São Paulo?', 'time', {zone: 'São Paulo'}],
    ['remember I like tea', 'remember', {text: 'I like tea'}],
    ['Remember that my dog is called Rex.', 'remember', {text: 'my dog is called Rex'}],
    ['remember: buy milk', 'remember', {text: 'buy milk'}],
    ['Please remember this: line one\nline two', 'remember', {text: 'line one\nline two'}],
    ['recall tea', 'recall', {query: 'tea'}],
    ['what do you remember about my dog?', 'recall', {query: 'dog'}],
    ['What do you know about Rex?', 'recall', {query: 'Rex'}],
    ['what do you remember?', 'recall', {}],
    ['do you remember my dog?', 'recall', {query: 'dog'}],
    ['search for green tea', 'search_history', {query: 'green tea'}],
    ['search history for "green tea"', 'search_history', {query: '"green tea"'}],
    ['search tea in our conversations', 'search_history', {query: 'tea'}],
    ['search tea', 'search_history', {query: 'tea'}],
    ['read notes.txt', 'read', {path: 'notes.txt'}],
    ['Read notes.txt.', 'read', {path: 'notes.txt'}],
    ['read README', 'read', {path: 'README'}],
    ['show me the file docs/a.md', 'read', {path: 'docs/a.md'}],
    ['read "meeting notes"', 'read', {path: 'meeting notes'}],
    ['read meeting notes.txt', 'read', {path: 'meeting notes.txt'}],
    ['read ../../etc/passwd', 'read', {path: '../../etc/passwd'}],
    ['read log.txt from line 201', 'read', {path: 'log.txt', offset: 201}],
    ['read README from line 5', 'read', {path: 'README', offset: 5}],
    ['show "my file"', 'read', {path: 'my file'}],
    ['do you know what time it is?', 'time', {}],
    ['list', 'list', {}],
    ['list files', 'list', {}],
    ['list docs', 'list', {path: 'docs'}],
    ['list files in docs/', 'list', {path: 'docs/'}],
    ['ls ..', 'list', {path: '..'}],
    ['list .', 'list', {path: '.'}],
    ['find *.md', 'find', {pattern: '*.md'}],
    ['find files named report', 'find', {pattern: 'report'}],
    ['find *.md in docs', 'find', {pattern: '*.md', path: 'docs'}],
    ['find "my report"', 'find', {pattern: 'my report'}],
  ]
  for (const [words, name, input] of table) {
    it(`takes ${JSON.stringify(words)} for a call of ${name}`, async () =>
      expect(await calls(words)).to.deep.equal([{name, input}]))
  }

  it('asks the shell when there is one', async () => {
    const shell = {name: 'shell', description: '', inputSchema: {}}
    expect(await calls('run ls -la', {tools: [...tools, shell]})).to.deep.equal([{name: 'shell', input: {command: 'ls -la'}}])
    expect(await calls('run `make test`', {tools: [shell]})).to.deep.equal([{name: 'shell', input: {command: 'make test'}}])
  })

  it('hands a command over as it was written', async () => {
    const over = {tools: [{name: 'shell', description: '', inputSchema: {}}]}
    for (const command of ['echo "hi  there!"', 'echo done.', 'printf “quoted”', 'cat <<E\none\nE', 'ls ?', 'echo please']) {
      expect(await calls(`please run ${command}`, over)).to.deep.equal([{name: 'shell', input: {command}}])
    }
  })

  it('answers long and hostile texts at once', async () => {
    const long = 'x'.repeat(1_000_000)
    const hostile = [
      long,
      `${'!'.repeat(1_000_000)}x`,
      `search${' '.repeat(390)}x\ny`,
      `search${' '.repeat(1_000_000)}x\ny`,
      `please ${' '.repeat(1_000_000)}`,
    ]
    for (const text of hostile) expect((await step([user(text)])).text).to.contain('did not understand')
    expect(await calls(`remember ${long}`)).to.deep.equal([{name: 'remember', input: {text: long}}])
  })

  const replies: [words: string, says: RegExp][] = [
    ['help', /^I understand:\n {2}help/],
    ['What can you do?', /read FILE/],
    ['status', /offline\/assistant.*1 message.*time, remember, recall, search_history, read, list, find/],
    ['run ls', /not available here: this agent has no tool "shell"/],
    ['remind me to call mum at 5', /not available here: this agent has no tool "schedule"/],
    ['every day at 9 say hello', /no tool "schedule"/],
    ['list reminders', /no tool "schedule"/],
    ['forget the dog', /no tool "forget".*text files that you can edit/],
    ['use model gpt5.6', /Run: svc model gpt5\.6/],
    ['/model anthropic/claude-opus-5-5', /Run: svc model anthropic\/claude-opus-5-5/],
    ['hello', /did not understand/],
    ['write me a poem about the sea', /did not understand.*stand-in/],
    ['read me a story', /did not understand/],
    ['show me the weather', /did not understand/],
    ['find me a good restaurant', /did not understand/],
    ['what is the capital of France?', /did not understand/],
    ['', /did not understand/],
    ['time flies', /did not understand/],
    ['remember', /did not understand/],
  ]
  for (const [words, says] of replies) {
    it(`answers ${JSON.stringify(words)} and says what it is`, async () => {
      const {text, finish} = await step([user(words)])
      expect(text).to.match(says)
      expect(finish.calls).to.deep.equal([])
      expect(text.endsWith(`\n\n${offlineNotice}`)).to.equal(true)
    })
  }

  it('offers in its help only what the agent can do', async () => {
    const {text} = await step([user('help')], {tools: tools.filter(({name}) => name === 'time')})
    expect(text)
      .to.contain('what time is it?')
      .and.not.match(/read FILE|run COMMAND|remember TEXT/)
    expect((await step([user('read a.txt')], {tools: []})).text).to.contain('this agent has no tool "read"')
  })

  it('streams its words in pieces, and finishes once and last', async () => {
    const {parts, finish, text} = await step([user('help')])
    expect(parts.filter(({type}) => type === 'text').length).to.be.above(3)
    expect(parts.filter(({type}) => type === 'finish')).to.have.length(1)
    expect(finish.messages).to.deep.equal([{role: 'assistant', content: [{type: 'text', text}]}])
    expect(finish.usage).to.deep.equal({inputTokens: 0, outputTokens: 0, cachedTokens: 0})
  })

  it('puts its calls into the history, each with an id of its own', async () => {
    const {finish, parts} = await step([user('time')])
    const [call] = finish.calls
    expect(parts).to.have.length(1)
    expect(finish.messages).to.deep.equal([
      {role: 'assistant', content: [{type: 'tool-call', toolCallId: call?.id, toolName: 'time', input: {}}]},
    ])
    expect(call?.id).to.match(/^[a-zA-Z0-9_-]{1,40}$/)
    expect((await step([user('time')])).finish.calls[0]?.id).to.not.equal(call?.id)
  })

  it('reads text parts, and only the newest message', async () => {
    const messages: ModelMessage[] = [
      user('read a.txt'),
      {role: 'assistant', content: 'Done.'},
      {role: 'user', content: [{type: 'text', text: 'what time is it?'}]},
    ]
    expect((await step(messages)).finish.calls.map(({name}) => name)).to.deep.equal(['time'])
  })

  it('serves no other model', async () => {
    const failure = await step([user('hi')], {modelId: 'gpt-5'}).catch((error) => error)
    expect(failure).to.be.instanceOf(ProviderFailure)
    expect([failure.code, failure.retryable]).to.deep.equal(['model-not-found', false])
  })

  it('stops when it is told to', async () => {
    const reason = new Error('stop')
    expect(await step([user('hi')], {signal: AbortSignal.abort(reason)}).catch((error) => error)).to.equal(reason)
    const cancel = new AbortController()
    const stream = createOfflineProvider()
      .streamStep(request([user('help')], {signal: cancel.signal}))
      [Symbol.asyncIterator]()
    await stream.next()
    cancel.abort(reason)
    expect(await stream.next().catch((error) => error)).to.equal(reason)
  })

  it('says what tools gave back, whatever its form', async () => {
    const outputs: [output: unknown, says: RegExp][] = [
      [{type: 'text', value: 'as it is'}, /^as it is\n/],
      [{type: 'json', value: {strange: [1]}}, /"strange": \[/],
      [{type: 'error-text', value: 'There is no "x".'}, /^That did not work: There is no "x"\./],
      [{type: 'error-json', value: {code: 5}}, /^That did not work: \{"code":5\}/],
      [{type: 'execution-denied', reason: 'not today'}, /^That was not allowed: not today/],
      [{type: 'content', value: [{type: 'text', text: 'a part'}]}, /^a part/],
    ]
    for (const [output, says] of outputs) {
      const result: ModelMessage = {
        role: 'tool',
        content: [{type: 'tool-result', toolCallId: 'c', toolName: 'list', output: output as never}],
      }
      expect((await step([user('list'), result])).text)
        .to.match(says)
        .and.contain(offlineNotice)
    }
  })

  describe('with real tools', () => {
    it('does what it was asked and tells how it went', async () => {
      const {home, workspace, remove} = await temporaryHome()
      const {mkdir, writeFile} = await import('node:fs/promises')
      const context = contextIn(home, [workspace])
      await mkdir(`${workspace}/docs`)
      await writeFile(`${workspace}/notes.txt`, 'buy milk\n')
      const dialogue: [words: string, says: RegExp][] = [
        ['what time is it in Tokyo?', /^It is Saturday, 21 November 2026, 21:00 \(Asia\/Tokyo\)\./],
        ['what time is it in Atlantis?', /^That did not work: "Atlantis" is no time zone/],
        ['remember that my dog is called Rex', /^Noted in 2026-11-2\d\.md: .* my dog is called Rex/],
        ['what do you remember about my dog?', /^My notes say:\n- .* my dog is called Rex/],
        ['recall cats', /^I have no note about that/],
        ['search for tea', /^I found nothing in our conversations/],
        ['read notes.txt', /^buy milk\n/],
        ['read missing.txt', /^That did not work: There is no "missing\.txt"/],
        ['read ../config.json', /^That did not work: "\.\.\/config\.json" is outside the folders/],
        ['list', /^In \.:\n- docs\/\n- notes\.txt \(9 bytes\)/],
        ['list docs', /^The folder docs is empty/],
        ['find *.txt', /^I found:\n- notes\.txt/],
        ['find *.pdf', /^I found no such file/],
      ]
      try {
        for (const [words, says] of dialogue) expect(await converse(words, context), words).to.match(says)
      } finally {
        await remove()
      }
    })
  })

  describe('asked to compact a conversation', () => {
    const system = 'Write a summary of this conversation.'

    it('gives extracts, and says that they are no more', async () => {
      const messages: ModelMessage[] = [
        user('My dog is Rex. He is old.'),
        {role: 'assistant', content: 'Nice dog.'},
        user('read a.txt'),
      ]
      const {text, finish} = await step(messages, {system, tools: []})
      expect(text).to.equal(
        'Extracts of the conversation, chosen by the offline model without understanding it:\n- user: My dog is Rex.\n- assistant: Nice dog.\n- user: read a.txt',
      )
      expect(finish.calls).to.deep.equal([])
    })

    it('keeps the first and the newest of a transcript, without its own notices', async () => {
      const lines = Array.from({length: 100}, (_, at) => `user: message ${at}`)
      const {text} = await step([user([...lines, offlineNotice].join('\n'))], {system, tools: []})
      expect(text).to.contain('message 0').and.contain('message 99').and.not.contain('message 50').and.not.contain(offlineNotice)
      expect(text.length).to.be.below(2000)
    })

    it('answers as usual when the words are in the prompt of an agent with tools', async () => {
      expect(await calls('time', {system})).to.have.length(1)
    })
  })

  describe('its page', () => {
    it('shows every rule and only true examples', async () => {
      const page = await readFile(new URL('../../../docs/offline-model.md', import.meta.url), 'utf8')
      for (const {usage} of rules) expect(page).to.contain(`\`${usage}\``)
      expect(page).to.contain(offlineNotice)
      const examples = [...page.matchAll(/^\| `[^|]+` \| `([^|]+)` \| ([^|]+) \|$/gm)].filter(
        ([, example]) => example !== undefined,
      )
      expect(examples).to.have.length(rules.length)
      for (const [, example = '', effect = ''] of examples) {
        const intent = understand(example)
        const tool = /^`(\w+)`/.exec(effect)?.[1]
        expect('tool' in intent ? intent.tool : intent.kind, example).to.equal(tool ?? effect.trim())
      }
    })
  })
})
