import {expect} from 'chai'
import {
  errorFrame,
  framesOf,
  type ModelServer,
  type Protocol,
  type Reply,
  type Said,
  startModelServer,
} from '../../support/model-server.js'
import {models, modelsAt, type Outcome, protocols, secretKey, step} from './support.js'

/** What a failure is expected to be; only the named fields are looked at. */
interface Expected {
  code: string
  retryable?: boolean
  toolsRejected?: boolean
  retryAfterMs?: number
  says?: string | RegExp
}

const toolRound: Said = {reasoning: 'Hm.', text: ['Let me ', 'look.'], calls: [{name: 'time', input: {zone: 'UTC'}}]}

describe('A model call that fails', () => {
  let server: ModelServer

  before(async () => {
    server = await startModelServer({script: []})
  })
  after(() => server.close())

  const call = (protocol: Protocol, reply: Reply, changes = {}): Promise<Outcome> => {
    server.play([reply])
    return step(modelsAt(server.baseURL), protocol, changes)
  }

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      for (const [what, reply, expected] of answers(protocol)) {
        it(`${what}: ${expected.code}`, async () => {
          const outcome = await call(protocol, reply)
          check(outcome, expected)
          expect(outcome.failure?.hint).to.be.a('string')
        })
      }

      it('names who failed and not the key', async () => {
        const message = `Incorrect API key provided: ${secretKey.slice(0, 7)}*******${secretKey.slice(-4)}, or in full ${secretKey}.`
        const {failure} = await call(protocol, {status: 401, body: {error: {message, type: 'invalid_request_error'}}})
        expect(failure?.message).to.match(
          new RegExp(`^${protocol} \\(test-model\\) answered 401: Incorrect API key provided: \\[REDACTED\\]`),
        )
        expect(failure?.message).to.not.contain('sk-proj')
        expect(failure?.message).to.not.contain(secretKey.slice(-4))
      })

      it('may be cut after any event: never a finish, never a call', async () => {
        const count = framesOf(protocol, toolRound).length
        for (let after = 0; after <= count; after++) {
          const outcome = await call(protocol, {say: toolRound, fault: {after, kind: 'cut'}})
          expect(outcome.finish, `cut after ${after}`).to.equal(undefined)
          check(outcome, {code: 'provider-unavailable', retryable: true}, `cut after ${after} of ${count}`)
        }
      })

      it('may end too early after any event: no call without the reason why it ended', async () => {
        const frames = framesOf(protocol, toolRound)
        const reason = frames.findIndex((frame) =>
          /response\.completed|"stop_reason":"tool_use"|"finish_reason":"tool_calls"/.test(frame),
        )
        for (let after = 0; after <= reason; after++) {
          const {finish, failure, text} = await call(protocol, {say: toolRound, fault: {after, kind: 'end'}})
          expect(finish, `end after ${after}`).to.equal(undefined)
          expect(failure?.code, `end after ${after}`).to.be.oneOf(
            text ? ['provider-unavailable'] : ['empty-reply', 'provider-unavailable'],
          )
          expect(failure?.retryable).to.equal(true)
        }
      })

      it('may stall before its first event, or without even headers', async () => {
        for (const reply of [{silence: true}, {say: toolRound, fault: {after: 0, kind: 'stall'}}] as Reply[]) {
          check(await call(protocol, reply, {timeoutMs: 60}), {
            code: 'provider-timeout',
            retryable: true,
            says: 'sent nothing for 0.06 s',
          })
          await server.requests.at(-1)?.closed
        }
      })

      it('may stall in the middle', async () => {
        const middle = framesOf(protocol, {text: ['a', 'b']}).findIndex((frame) => frame.includes('"b"'))
        const outcome = await call(protocol, {say: {text: ['a', 'b']}, fault: {after: middle, kind: 'stall'}}, {timeoutMs: 60})
        expect(outcome.text).to.equal('a')
        check(outcome, {code: 'provider-timeout'})
      })

      it('is not a stall as long as something comes', async () => {
        const text = [...'abcdefghij']
        const {failure, ...outcome} = await call(protocol, {say: {text}, pauseMs: 30}, {timeoutMs: 250})
        expect(failure, failure?.message).to.equal(undefined)
        expect(outcome.text).to.equal('abcdefghij')
      })

      it('may never stop', async () => {
        const outcome = await call(protocol, {say: {text: Array.from({length: 30}, () => 'again '.repeat(20_000))}})
        check(outcome, {code: 'malformed-reply', retryable: false, says: 'does not stop'})
      })

      it('ends with the caller’s reason when the caller aborts, and lets go of the connection', async () => {
        for (const reply of [{silence: true}, {say: {text: ['a', 'b']}, fault: {after: 5, kind: 'stall'}}] as Reply[]) {
          const caller = new AbortController()
          const reason = new Error('The turn was cancelled.')
          setTimeout(() => caller.abort(reason), 30)
          const thrown = await call(protocol, reply, {signal: caller.signal}).catch((error: unknown) => error)
          expect(thrown).to.equal(reason)
          await server.requests.at(-1)?.closed
        }
      })

      it('lets go of the connection when its reader leaves', async () => {
        server.play([{say: {text: ['a', 'b', 'c']}, fault: {after: 6, kind: 'stall'}}])
        const provider = await modelsAt(server.baseURL).provider(protocol)
        const {request} = await import('./support.js')
        for await (const part of provider.streamStep(request())) {
          expect(part).to.deep.equal({type: 'text', text: 'a'})
          break
        }
        await server.requests.at(-1)?.closed
      })
    })
  }

  it('at an address where nobody listens: provider-unavailable', async () => {
    const nowhere = await startModelServer({script: []})
    await nowhere.close()
    for (const protocol of protocols) {
      check(await step(modelsAt(nowhere.baseURL), protocol), {
        code: 'provider-unavailable',
        retryable: true,
        says: 'ECONNREFUSED',
      })
    }
  })

  it('at a host that does not exist: provider-unavailable', async () => {
    const lost = models({providers: {lost: {baseURL: 'http://no-such-host.invalid/v1'}}})
    check(await step(lost, 'lost'), {code: 'provider-unavailable', says: 'no-such-host.invalid'})
  })

  it('keeps what it cost', async () => {
    const {failure} = await call('anthropic', {say: {text: 'Some', finish: 'content-filter', usage: {input: 70, output: 3}}})
    expect(failure?.usage).to.include({inputTokens: 70, outputTokens: 3})
  })
})

/** Faults that are answers, with what each protocol's maker really sends. */
function answers(protocol: Protocol): [string, Reply, Expected][] {
  const error = (status: number, type: string, message: string, code: string | null = null, headers = {}): Reply => {
    const body = protocol === 'anthropic' ? {type: 'error', error: {type, message}} : {error: {message, type, param: null, code}}
    return {status, headers, body}
  }
  const inStream = (type: string, message: string): Reply => ({
    say: toolRound,
    fault: {after: 4, kind: 'send', frames: [errorFrame(protocol, type, message)]},
  })
  const html = {'content-type': 'text/html'}
  const soon = new Date(Date.now() + 61_000).toUTCString()
  const invalid = 'invalid_request_error'

  return [
    ['an empty reply', {say: {}}, {code: 'empty-reply', retryable: true}],
    ['only blanks', {say: {text: ' \n'}}, {code: 'empty-reply'}],
    [
      'a reply that used up its tokens on nothing',
      {say: {finish: 'length'}},
      {code: 'empty-reply', retryable: false, says: 'output tokens'},
    ],
    [
      'a content filter',
      {say: {text: 'Well', finish: 'content-filter'}},
      {code: 'empty-reply', retryable: false, says: 'content filter'},
    ],
    ['a reply without a reason to end', {say: {text: 'We', finish: 'none'}}, {code: 'provider-unavailable', retryable: true}],

    [
      '401',
      error(401, 'authentication_error', 'invalid x-api-key', 'invalid_api_key'),
      {code: 'provider-auth', retryable: false},
    ],
    ['403', error(403, 'permission_error', 'Country not supported'), {code: 'provider-auth', retryable: false}],
    [
      '429 with seconds to wait',
      error(429, 'rate_limit_error', 'Rate limit reached', 'rate_limit_exceeded', {'retry-after': '7'}),
      {code: 'provider-rate-limit', retryable: true, retryAfterMs: 7000},
    ],
    [
      '429 with milliseconds to wait',
      error(429, 'rate_limit_error', 'Slow down', null, {'retry-after-ms': '350', 'retry-after': '1'}),
      {code: 'provider-rate-limit', retryable: true, retryAfterMs: 350},
    ],
    [
      '429 with a date',
      error(429, 'rate_limit_error', 'Slow down', null, {'retry-after': soon}),
      {code: 'provider-rate-limit', retryable: true},
    ],
    [
      '429 with hours to wait',
      error(429, 'rate_limit_error', 'Daily limit', null, {'retry-after': '7200'}),
      {code: 'provider-rate-limit', retryable: false, retryAfterMs: 7_200_000},
    ],
    [
      '429 for money',
      error(
        429,
        'insufficient_quota',
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
      ),
      {code: 'provider-quota', retryable: false},
    ],
    [
      '400 for money',
      error(400, invalid, 'Your credit balance is too low to access the API.'),
      {code: 'provider-quota', retryable: false},
    ],
    ['402', error(402, 'payment', 'Insufficient credits.'), {code: 'provider-quota', retryable: false}],
    ['500', error(500, 'server_error', 'The server had an error'), {code: 'provider-unavailable', retryable: true}],
    [
      '503',
      error(503, 'api_error', 'Unavailable', null, {'retry-after': '2'}),
      {code: 'provider-unavailable', retryable: true, retryAfterMs: 2000},
    ],
    ['529', error(529, 'overloaded_error', 'Overloaded'), {code: 'provider-unavailable', retryable: true}],
    [
      '502 with a page',
      {status: 502, headers: html, body: '<html>Bad gateway</html>'},
      {code: 'provider-unavailable', retryable: true},
    ],
    [
      'a web page',
      {status: 200, headers: html, body: '<!doctype html><p>Welcome'},
      {code: 'malformed-reply', retryable: false, says: 'web page'},
    ],
    ['404 with a page', {status: 404, headers: html, body: '<html>Not here'}, {code: 'malformed-reply', retryable: false}],
    ['404 of another service', {status: 404, body: '404 page not found'}, {code: 'provider-unavailable', retryable: false}],
    [
      'a redirect',
      {status: 307, headers: {location: 'http://127.0.0.1:9/'}, body: ''},
      {code: 'provider-unavailable', retryable: false},
    ],
    ['JSON instead of a stream', {status: 200, body: {id: 'x', choices: []}}, {code: 'malformed-reply', retryable: true}],
    ['an error under 200', {status: 200, body: {error: {message: 'Out of credits', code: 402}}}, {code: 'provider-quota'}],
    [
      'broken JSON in the stream',
      {say: toolRound, fault: {after: 4, kind: 'send', frames: ['data: {"half\n\n']}},
      {code: 'malformed-reply', retryable: true},
    ],
    ['a closed connection', {hangUp: true}, {code: 'provider-unavailable', retryable: true}],

    [
      'overload after 200',
      inStream('overloaded_error', 'Overloaded'),
      {code: 'provider-unavailable', retryable: true, says: 'Overloaded'},
    ],
    [
      'a server error after 200',
      inStream('server_error', 'It broke'),
      {code: 'provider-unavailable', retryable: true, says: 'It broke'},
    ],
    ['a rate limit after 200', inStream('rate_limit_error', 'Too fast'), {code: 'provider-rate-limit', retryable: true}],
    ['an empty purse after 200', inStream('insufficient_quota', 'No money'), {code: 'provider-quota', retryable: false}],

    ...[
      'registry.ollama.ai/library/gemma:2b does not support tools',
      'No endpoints found that support tool use. Try disabling "time".',
      "Unsupported parameter: 'tools' is not supported with this model.",
      '`tool calling` is not supported with this model',
      'Function calling is not enabled for models/gemma-3',
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ].map((words): [string, Reply, Expected] => [
      `tools refused (“${words.slice(0, 40)}…”)`,
      error(400, invalid, words),
      {code: 'provider-unavailable', retryable: false, toolsRejected: true},
    ]),
    ...[
      ['The model `gpt-9` does not exist or you do not have access to it.', 404, 'model_not_found'],
      ['model: claude-9', 404, null],
      ['model "nope" not found, try pulling it first', 404, null],
      ['nope is not a valid model ID', 400, null],
      ['The model `llama-2` has been decommissioned and is no longer supported.', 400, 'model_decommissioned'],
    ].map(([words, status, code]): [string, Reply, Expected] => [
      `an unknown model (“${String(words).slice(0, 30)}…”)`,
      error(status as number, status === 404 ? 'not_found_error' : invalid, words as string, code as string | null),
      {code: 'model-not-found', retryable: false},
    ]),
    ...[
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'prompt is too long: 210000 tokens > 200000 maximum',
      'Your input exceeds the context window of this model.',
    ].map((words): [string, Reply, Expected] => [
      `a long conversation (“${words.slice(0, 30)}…”)`,
      error(400, invalid, words),
      {code: 'context-too-long', retryable: false, toolsRejected: false},
    ]),
    ['an error in words alone', {status: 400, body: {error: 'model "nope" not found'}}, {code: 'model-not-found'}],
    ['another refusal', error(400, invalid, "Invalid 'max_output_tokens'"), {code: 'provider-unavailable', retryable: false}],
  ]
}

function check({failure, finish}: Outcome, expected: Expected, what?: string): void {
  expect(finish, what).to.equal(undefined)
  expect(failure?.code, `${what ?? ''} ${failure?.message}`).to.equal(expected.code)
  if (expected.retryable !== undefined) expect(failure?.retryable, failure?.message).to.equal(expected.retryable)
  if (expected.retryAfterMs !== undefined) expect(failure?.retryAfterMs).to.equal(expected.retryAfterMs)
  expect(failure?.toolsRejected).to.equal(expected.toolsRejected ?? false)
  if (expected.says)
    expect(failure?.message).to.match(typeof expected.says === 'string' ? new RegExp(expected.says) : expected.says)
  expect(failure?.message).to.not.contain(secretKey)
}
