import {once} from 'node:events'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {createInterface} from 'node:readline'
import {expect} from 'chai'
import {type ModelServer, startModelServer} from '../support/model-server.js'
import {runSvc, startSvc} from '../support/run-svc.js'
import {tempFolder} from '../support/temp.js'
import {homeWithModel} from './model-home.js'

type Child = Awaited<ReturnType<typeof startSvc>>

describe('svc serve', () => {
  let model: ModelServer
  let home: string
  const children: Child[] = []

  beforeEach(async () => {
    model = await startModelServer({script: [{say: {text: ['Hello', ' you.']}, pauseMs: 100}]})
    home = await homeWithModel(model)
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await model.close()
  })

  /** Starts a gateway on a free port and waits until it is ready. */
  async function serve(...args: string[]) {
    const child = await startSvc(['serve', '--port', '0', '--json', ...args], {home})
    children.push(child)
    child.stderr.resume()
    const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? 'null')
    return {child, next, ready: (await next()) as {event: string; url: string; pid: number}}
  }

  const post = (url: string, message: string) =>
    fetch(`${url}/message`, {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify({message})})

  it('says as its first line that it is ready, and where', async () => {
    const {child, ready} = await serve()
    expect(ready).to.deep.equal({event: 'ready', url: ready.url, pid: child.pid})
    expect(await (await fetch(`${ready.url}/health`)).json()).to.include({status: 'ok'})
  })

  it('prints the addresses and the log for a person, and no token', async () => {
    const child = await startSvc(['serve', '--port', '0'], {home})
    children.push(child)
    const [chunk] = await once(child.stdout, 'data')
    const address = 'http://127\\.0\\.0\\.1:\\d+'
    expect(String(chunk)).to.match(new RegExp(`^Gateway\t${address}\nLog\t.*svc\\.log\n$`))
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`finishes what it is doing at ${signal} and exits 0`, async () => {
      const {child, next, ready} = await serve()
      const reply = post(ready.url, 'hi')
      await expectSoon(() => model.requests.length === 1)
      child.kill(signal)
      expect(await next()).to.include({event: 'stopping', signal})
      expect(await (await reply).json()).to.include({reply: 'Hello you.', status: 'completed'})
      const [code] = await once(child, 'exit')
      expect(code).to.equal(0)
      expect(await next()).to.include({event: 'stopped'})
    })
  }

  it('exits at once at the second signal, and the next start goes on with the turn', async () => {
    model.play([{silence: true}])
    const {child, next, ready} = await serve()
    post(ready.url, 'hi').catch(() => undefined)
    await expectSoon(() => model.requests.length === 1)
    child.kill('SIGTERM')
    await next()
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).to.equal(143)

    model.play([{say: {text: 'Late, but here.'}}])
    await serve()
    await expectSoon(async () => {
      const {stdout} = await runSvc(['turns', 'list', '--json'], {home})
      return JSON.parse(stdout).turns[0].status === 'completed'
    })
  })

  it('is not stopped by SIGHUP where no terminal is', async () => {
    const {child, ready} = await serve()
    child.kill('SIGHUP')
    expect((await fetch(`${ready.url}/health`)).status).to.equal(200)
  })

  it('says who holds the port', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const {port} = holder.address() as AddressInfo
    const {code, stdout} = await runSvc(['serve', '--port', String(port), '--json'], {home})
    await closed(holder)
    const {error} = JSON.parse(stdout)
    expect([code, error.code]).to.deep.equal([1, 'conflict'])
    expect(error.detail)
      .to.contain(`Port ${port}`)
      .and.contain(process.platform === 'linux' ? `pid ${process.pid}` : '')
  })

  it('refuses a second gateway in the same home', async () => {
    const {child} = await serve()
    const {code, stderr} = await runSvc(['serve', '--port', '0'], {home})
    expect([code, stderr]).to.deep.equal([
      1,
      `Error: A gateway already runs in this home, as process ${child.pid}.\nTry: Stop it first, or set SVC_HOME to another folder.\n`,
    ])
  })

  it('refuses an address that others can reach, and bad ports', async () => {
    const open = await runSvc(['serve', '--host', '0.0.0.0', '--port', '0', '--json'], {home})
    expect([open.code, JSON.parse(open.stdout).error.code]).to.deep.equal([6, 'bad-config'])
    expect((await runSvc(['serve', '--port', '99999'], {home})).code).to.equal(2)
  })

  it('shares the store with the commands beside it', async () => {
    const {ready} = await serve()
    await (await post(ready.url, 'one')).json()
    const {stdout} = await runSvc(['message', 'two', '--json'], {home})
    expect(JSON.parse(stdout)).to.include({reply: 'Hello you.', sessionId: 'main'})
    expect(model.requests.at(-1)?.body.messages.filter(({role}: {role: string}) => role === 'user')).to.have.length(2)
  })
})

describe('svc status', () => {
  it('works without a gateway, and says that none runs', async () => {
    const home = await tempFolder()
    const {code, stdout} = await runSvc(['status'], {home})
    expect(code).to.equal(0)
    expect(stdout)
      .to.match(/^Gateway\tnot running/)
      .and.contain('Model\toffline/assistant\n')
    const required = await runSvc(['status', '--require-server'], {home})
    expect([required.code, required.stdout, required.stderr]).to.deep.equal([
      5,
      '',
      'Error: No gateway is running in this home.\nTry: svc serve\n',
    ])
  })

  it('finds the gateway of its home, whatever port it has', async () => {
    const home = await tempFolder()
    const child = await startSvc(['serve', '--port', '0', '--json'], {home})
    try {
      const {url} = JSON.parse(String((await once(child.stdout, 'data'))[0]))
      await runSvc(['message', 'what time is it'], {home})
      const {code, stdout} = await runSvc(['status', '--require-server', '--json'], {home})
      const status = JSON.parse(stdout)
      expect(code).to.equal(0)
      expect(status.server).to.deep.include({pid: child.pid, url, health: 'ok'})
      expect(status.server.uptime).to.be.a('number')
      expect(status.lastMessage).to.include({role: 'assistant', sessionId: 'main'})
      expect(status.turns).to.deep.equal({running: 0, queued: 0, awaiting: 0})
    } finally {
      child.kill('SIGKILL')
    }
    await once(child, 'exit')
    expect((await runSvc(['status', '--require-server'], {home})).code).to.equal(5)
  })
})

async function expectSoon(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('It did not happen.')
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
