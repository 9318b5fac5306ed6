import {once} from 'node:events'
import {createServer, type Server} from 'node:http'
import {type AddressInfo, connect} from 'node:net'
import {expect} from 'chai'
import type {StreamEvent} from '../../src/server/route.js'
import {type StreamOptions, sendEvents} from '../../src/server/sse.js'

describe('sendEvents', () => {
  let server: Server
  let outcome: Promise<unknown>
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  async function stream(events: AsyncIterable<StreamEvent<unknown>>, options: Partial<StreamOptions> = {}): Promise<number> {
    const settled = Promise.withResolvers<unknown>()
    outcome = settled.promise
    server = createServer((_req, res) => {
      sendEvents(res, events, {signal: new AbortController().signal, ...options}).then(
        () => settled.resolve('sent'),
        settled.resolve,
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const textOf = async (port: number) => (await fetch(`http://127.0.0.1:${port}`)).text()

  it('writes id, event and data, each data on one line', async () => {
    const port = await stream(
      (async function* () {
        yield {id: '1', event: 'a', data: {text: 'one\ntwo\r\n\u2028'}}
        yield {data: '[DONE]'}
      })(),
    )
    expect(await textOf(port)).to.equal('id: 1\nevent: a\ndata: {"text":"one\\ntwo\\r\\n\u2028"}\n\ndata: "[DONE]"\n\n')
  })

  it('sends comments while nothing happens', async () => {
    const port = await stream(
      (async function* () {
        await new Promise((resolve) => setTimeout(resolve, 100))
        yield {data: 1}
      })(),
      {heartbeatMs: 20},
    )
    expect(await textOf(port)).to.match(/^(: still here\n\n){2,}data: 1\n\n$/)
  })

  it('ends when the signal aborts, in the middle of waiting too', async () => {
    const stop = new AbortController()
    const port = await stream(
      (async function* () {
        yield {data: 1}
        await new Promise((_resolve, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal.reason)))
      })(),
      {signal: stop.signal},
    )
    setTimeout(() => stop.abort(), 30)
    expect(await textOf(port)).to.equal('data: 1\n\n')
    expect(await outcome).to.equal('sent')
  })

  it('reads no further for a reader that is behind, and cuts it off when it does not catch up', async () => {
    let made = 0
    const port = await stream(
      (async function* () {
        for (;;) {
          made += 1
          yield {data: 'x'.repeat(64 * 1024)}
        }
      })(),
      {catchUpMs: 200},
    )
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    socket.pause()
    expect(await outcome).to.be.instanceOf(Error)
    // What the reader's and our own socket buffers take in, and one MiB.
    expect(made * 64 * 1024).to.be.lessThan(32 * 1024 * 1024)
    socket.destroy()
  })

  it('lets a slow reader have everything', async () => {
    const port = await stream(
      (async function* () {
        for (let index = 0; index < 200; index += 1) yield {id: String(index), data: 'x'.repeat(64 * 1024)}
      })(),
    )
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    let size = 0
    for await (const chunk of socket) {
      size += chunk.length
      if (size % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(size).to.be.greaterThan(200 * 64 * 1024)
    expect(await outcome).to.equal('sent')
  })
})
