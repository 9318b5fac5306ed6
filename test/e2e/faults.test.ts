import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import type {App} from '../../src/core/app.js'
import {createApp} from '../../src/core/create-app.js'
import {type RunningServer, startServer} from '../../src/server/serve.js'
import {errorFrame, type ModelServer, type Protocol, type Reply, startModelServer} from '../support/model-server.js'
import {tempFolder} from '../support/temp.js'

const good: Reply = {say: {text: 'All good.'}}
const refusal = (status: number, message: string, code: string, headers = {}): Reply => ({
  status,
  headers,
  body: {type: 'error', error: {type: code, code, message}},
})

interface Case {
  fault: string
  script(protocol: Protocol): Reply[]
  status: number
  code?: string
  /** How often the model is asked. */
  requests: number
}

const cases: Case[] = [
  {fault: 'an empty reply', script: () => [{say: {text: ''}}], status: 502, code: 'empty-reply', requests: 5},
  {fault: 'an empty reply, once', script: () => [{say: {text: ''}}, good], status: 200, requests: 2},
  {
    fault: 'a wrong key',
    script: () => [refusal(401, 'Incorrect API key', 'authentication_error')],
    status: 502,
    code: 'provider-auth',
    requests: 1,
  },
  {
    fault: 'a quota that is used up',
    script: (protocol) => [
      protocol === 'anthropic'
        ? refusal(400, 'Your credit balance is too low to access the API.', 'invalid_request_error')
        : refusal(429, 'You exceeded your current quota.', 'insufficient_quota'),
    ],
    status: 502,
    code: 'provider-quota',
    requests: 1,
  },
  {
    fault: 'a rate limit that passes',
    script: () => [refusal(429, 'Slow down', 'rate_limit_error', {'retry-after': '0'}), good],
    status: 200,
    requests: 2,
  },
  {
    fault: 'a rate limit that stays',
    script: () => [refusal(429, 'Slow down', 'rate_limit_error', {'retry-after': '0'})],
    status: 502,
    code: 'provider-rate-limit',
    requests: 5,
  },
  {
    fault: 'status 500',
    script: () => [refusal(500, 'Oops', 'server_error')],
    status: 502,
    code: 'provider-unavailable',
    requests: 5,
  },
  {
    fault: 'status 529',
    script: () => [refusal(529, 'Overloaded', 'overloaded_error')],
    status: 502,
    code: 'provider-unavailable',
    requests: 5,
  },
  {
    fault: 'a wrong model name',
    script: () => [refusal(404, 'The model does not exist', 'model_not_found')],
    status: 502,
    code: 'model-not-found',
    requests: 1,
  },
  {
    fault: 'a cut stream',
    script: () => [{say: {text: ['Half', ' done']}, fault: {after: 2, kind: 'cut'}}, good],
    status: 200,
    requests: 2,
  },
  {
    fault: 'an error after status 200',
    script: (protocol) => [
      {say: {text: 'Hm'}, fault: {after: 1, kind: 'send', frames: [errorFrame(protocol, 'overloaded_error', 'Overloaded')]}},
    ],
    status: 502,
    code: 'provider-unavailable',
    requests: 5,
  },
  {fault: 'silence', script: () => [{silence: true}], status: 504, code: 'provider-timeout', requests: 5},
  {
    fault: 'a stall in the middle',
    script: () => [{say: {text: ['a', 'b']}, fault: {after: 3, kind: 'stall'}}, good],
    status: 200,
    requests: 2,
  },
  {
    fault: 'a page instead of an answer',
    script: () => [{status: 200, headers: {'content-type': 'text/html'}, body: '<html>Login</html>'}],
    status: 502,
    code: 'malformed-reply',
    requests: 1,
  },
  {
    fault: 'a model that takes no tools',
    script: () => [refusal(400, 'This model does not support tools', 'invalid_request_error'), good],
    status: 200,
    requests: 2,
  },
  {
    fault: 'a tool call that is no JSON',
    script: () => [{say: {calls: [{name: 'remember', input: '{"text": "se'}]}}, good],
    status: 200,
    requests: 2,
  },
]

for (const protocol of ['openai', 'openai-compatible', 'anthropic'] as const) {
  describe(`POST /message over ${protocol}, when the model provider sends`, () => {
    let model: ModelServer
    let app: App
    let server: RunningServer

    before(async () => {
      model = await startModelServer({protocol, script: [good]})
      const home = await tempFolder()
      const provider = {kind: protocol, baseURL: model.baseURL, apiKey: 'a-key-that-stays-secret', timeoutMs: 120}
      const config = {models: {default: 'stub/model-1', providers: {stub: provider}}, gateway: {port: 0}}
      await writeFile(join(home, 'config.json'), JSON.stringify(config))
      app = await createApp({home, env: {}, kind: 'serve', stderr: 'off', retryBaseMs: 1})
      server = await startServer(app)
    })
    after(async () => {
      await server.close(0)
      await app.close(0)
      await model.close()
    })

    for (const {fault, script, status, code, requests} of cases) {
      it(`${fault}: ${code ?? 'the reply after another try'}`, async () => {
        model.play(script(protocol))
        const before = model.requests.length
        const response = await fetch(`${server.url}/message`, {
          method: 'POST',
          headers: {'content-type': 'application/json'},
          body: JSON.stringify({message: `please survive ${fault}`, session: 'new'}),
        })
        const text = await response.text()
        expect(response.status, text).to.equal(status)
        expect(model.requests.length - before).to.equal(requests)
        expect(text).not.to.contain('a-key-that-stays-secret')
        const body = JSON.parse(text) as {reply?: string; code?: string; hint?: string}
        if (code) expect(body.code).to.equal(code)
        else expect(body.reply).to.equal('All good.')

        const [turn] = (await app.store.turns.list({limit: 1})).items
        expect(turn).to.deep.include({status: code ? 'failed' : 'completed', message: `please survive ${fault}`})
        if (code) expect(turn).to.have.nested.property('error.code', code)
        const [call] = await app.store.turns.calls(turn?.id ?? '')
        expect(call?.status).to.equal(fault.includes('tool call') ? 'invalid' : undefined)
      })
    }
  })
}
