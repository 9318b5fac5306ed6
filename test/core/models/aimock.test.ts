import {LLMock} from '@copilotkit/aimock'
import {expect} from 'chai'
import {modelsAt, protocols, step, timeTool} from './support.js'

/** The same protocols as somebody else reads them, so that a mistake of our own double does not confirm itself. */
describe('Against a model double that others wrote', () => {
  const mock = new LLMock({port: 0, logLevel: 'silent'})

  before(async () => {
    mock.onMessage('ping', {content: 'Pong from the other double.'})
    mock.onMessage('what time', {toolCalls: [{name: 'time', arguments: '{"zone":"UTC"}'}]})
    mock.onMessage('break off', {content: 'One two three four five six seven.'}, {truncateAfterChunks: 2, chunkSize: 4})
    await mock.start()
  })
  after(() => mock.stop())
  afterEach(() => {
    mock.clearChaos()
  })

  for (const protocol of protocols) {
    const call = (content: string) =>
      step(modelsAt(`${mock.url}/v1`), protocol, {messages: [{role: 'user', content}], tools: [timeTool]})

    describe(`over ${protocol}`, () => {
      it('gets text', async () => {
        const {text, finish} = await call('ping')
        expect(text).to.equal('Pong from the other double.')
        expect(finish?.messages).to.have.length(1)
      })

      it('gets a tool call', async () => {
        const {finish} = await call('what time')
        expect(finish?.calls).to.have.length(1)
        expect(finish?.calls[0]).to.deep.include({name: 'time', input: {zone: 'UTC'}})
      })

      it('tells a rate limit', async () => {
        mock.setChaos({rateLimitRate: 1})
        const {failure} = await call('ping')
        expect(failure?.code).to.equal('provider-rate-limit')
        expect(failure?.retryAfterMs).to.be.greaterThan(0)
      })

      it('tells a server error', async () => {
        mock.setChaos({dropRate: 1})
        expect((await call('ping')).failure?.code).to.equal('provider-unavailable')
      })

      it('tells garbage', async () => {
        mock.setChaos({malformedRate: 1})
        expect((await call('ping')).failure?.code).to.equal('malformed-reply')
      })

      it('tells a dropped connection', async () => {
        mock.setChaos({disconnectRate: 1})
        expect((await call('ping')).failure?.code).to.equal('provider-unavailable')
      })

      it('tells a stream that breaks off', async () => {
        const {failure, finish} = await call('break off')
        expect(finish).to.equal(undefined)
        expect(failure?.code).to.equal('provider-unavailable')
      })
    })
  }
})
