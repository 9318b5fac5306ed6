import {once} from 'node:events'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {expect} from 'chai'
import type {Browser, Page} from 'playwright-core'
import {createTrust} from '../../src/server/client-address.js'
import {mount} from '../../src/server/mount.js'
import {routes} from '../../src/server/serve.js'
import {requires} from '../support/requires.js'
import {chromiumPath, launchBrowser} from './support/browser.js'
import {type TestServer, testServer} from './support/server.js'

/** What a page can try; in the page each answers what it could read, or `null`. */
const attempts = {
  'fetch with CORS': `fetch(base + '/status').then((reply) => reply.text())`,
  'fetch of the dashboard API': `fetch(base + '/api/dashboard/turns').then((reply) => reply.text())`,
  'fetch with a preflight': `fetch(base + '/message', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{"message":"evil"}'}).then((reply) => reply.text())`,
  'fetch without CORS, as text': `fetch(base + '/message', {method: 'POST', mode: 'no-cors', body: '{"message":"evil"}'}).then((reply) => reply.text()).then((text) => text || null)`,
  'fetch without CORS, without a body': `fetch(base + '/cron/x/run', {method: 'POST', mode: 'no-cors'}).then((reply) => reply.text()).then((text) => text || null)`,
  'a beacon': `Promise.resolve(navigator.sendBeacon(base + '/message', new Blob(['{"message":"evil"}'], {type: 'text/plain'})) && null)`,
  XMLHttpRequest: `new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.onload = () => resolve(request.responseText)
    request.onerror = () => resolve(null)
    request.open('POST', base + '/model')
    request.setRequestHeader('content-type', 'text/plain')
    request.send('{"model":"other/model"}')
  })`,
  EventSource: `new Promise((resolve) => {
    const source = new EventSource(base + '/api/dashboard/turns/x/events')
    source.onmessage = (event) => resolve(event.data)
    source.onopen = () => resolve('open')
    source.onerror = () => (source.close(), resolve(null))
  })`,
  WebSocket: `new Promise((resolve) => {
    const socket = new WebSocket(base.replace('http', 'ws') + '/status')
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve(null)
  })`,
  'an image': `new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve('loaded')
    image.onerror = () => resolve(null)
    image.src = base + '/status'
  })`,
  'a script': `new Promise((resolve) => {
    const script = document.createElement('script')
    script.onload = () => resolve('loaded')
    script.onerror = () => resolve(null)
    script.src = base + '/status'
    document.head.append(script)
  })`,
  'a stylesheet': `new Promise((resolve) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.onload = () => resolve('loaded')
    link.onerror = () => resolve(null)
    link.href = base + '/status'
    document.head.append(link)
  })`,
  'a frame': `new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.onload = () => { try { resolve(frame.contentDocument?.body?.innerText || null) } catch { resolve(null) } }
    frame.src = base + '/status'
    document.body.append(frame)
  })`,
  'a form in a frame': `new Promise((resolve) => {
    document.body.insertAdjacentHTML('beforeend', '<iframe name="sink"></iframe><form target="sink" method="post" enctype="text/plain"><input></form>')
    const form = document.querySelector('form')
    form.action = base + '/message'
    form.elements[0].name = '{"message":"evil","x":"'
    form.elements[0].value = '"}'
    document.querySelector('[name=sink]').onload = () => resolve(null)
    form.submit()
  })`,
}

describe('A web page of another origin', () => {
  let browser: Browser
  let gateway: TestServer
  let foreign: Server
  let foreignPort: number

  before(async function () {
    requires(this, 'Chromium', chromiumPath)
    this.timeout(30_000)
    browser = await launchBrowser()
    gateway = await testServer({script: () => 'Here is the secret of the owner.'})
    await gateway.post('/message', {message: 'the secret of the owner', session: 'own'})
    foreign = createServer((_req, res) =>
      res.writeHead(200, {'content-type': 'text/html'}).end('<!doctype html><title>evil</title><body>'),
    )
    foreign.listen(0, '127.0.0.1')
    await once(foreign, 'listening')
    foreignPort = (foreign.address() as AddressInfo).port
  })

  after(async () => {
    await browser?.close()
    foreign?.closeAllConnections()
    foreign?.close()
    await gateway?.stop()
  })

  const pages = {
    // Same site as the gateway, so cookies and some checks would not tell them apart.
    'another port of localhost': () => `http://localhost:${foreignPort}/`,
    'another site': () => `http://evil.test:${foreignPort}/`,
  }
  for (const [name, address] of Object.entries(pages)) {
    it(`on ${name} reads nothing and changes nothing`, async function () {
      this.timeout(60_000)
      const page = await browser.newPage()
      await page.goto(address())
      const read: Record<string, unknown> = {}
      for (const base of [`http://127.0.0.1:${gateway.port}`, `http://localhost:${gateway.port}`]) {
        for (const [attempt, script] of Object.entries(attempts))
          read[`${attempt} of ${base}`] = await attemptIn(page, base, script)
      }
      await page.close()
      expect(Object.entries(read).filter(([, text]) => text !== null)).to.deep.equal([])
      await expectUntouched()
    })
  }

  it('that rebinds its name to this machine gets nothing from its own origin either', async function () {
    this.timeout(60_000)
    const base = `http://evil.test:${gateway.port}`
    const page = await browser.newPage()
    const opened = await page.goto(`${base}/status`)
    expect(opened?.status()).to.equal(403)
    expect(await page.content())
      .to.contain('forbidden-origin')
      .and.not.contain('secret')
    for (const [attempt, script] of Object.entries(attempts)) {
      // Its own origin may read the refusal, and nothing else.
      const text = await attemptIn(page, base, script)
      if (text !== null) expect(text, attempt).to.contain('forbidden-origin')
    }
    await page.close()
    await expectUntouched()
  })

  it('would get through without the guard', async function () {
    this.timeout(60_000)
    const never = new AbortController().signal
    const open = createServer(
      mount(gateway.app, {routes, guard: () => {}, trust: createTrust([]), closing: never, closed: never}),
    ).listen(0, '127.0.0.1')
    await once(open, 'listening')
    try {
      const base = `http://evil.test:${(open.address() as AddressInfo).port}`
      const page = await openRebound(base)
      expect(await attemptIn(page, base, attempts['fetch with CORS'])).to.contain('the secret of the owner')
      await page.close()
    } finally {
      open.closeAllConnections()
      open.close()
    }
  })

  it('cannot show the gateway when it is opened by a link, for there is nothing but the page to open', async () => {
    const page = await browser.newPage()
    await page.goto(pages['another site']())
    await page.setContent(`<a href="http://127.0.0.1:${gateway.port}/status">go</a>`)
    const [reply] = await Promise.all([page.waitForResponse((response) => response.url().endsWith('/status')), page.click('a')])
    expect(reply.status()).to.equal(403)
    await page.close()
  })

  it('is unlike the owner, who opens the address by hand', async () => {
    const page = await browser.newPage()
    const opened = await page.goto(`http://127.0.0.1:${gateway.port}/status`)
    expect(opened?.status()).to.equal(200)
    await page.close()
  })

  /** The attacker's page, as it was loaded before its name led here: without our content security policy. */
  async function openRebound(base: string): Promise<Page> {
    const page = await browser.newPage()
    await page.route(`${base}/attack`, (route) => route.fulfill({contentType: 'text/html', body: '<!doctype html><body>'}))
    await page.goto(`${base}/attack`)
    return page
  }

  async function attemptIn(page: Page, base: string, script: string): Promise<unknown> {
    const patience = `new Promise((resolve) => setTimeout(() => resolve(null), 3000))`
    return page.evaluate(
      `(() => { const base = ${JSON.stringify(base)}; return Promise.race([${script}, ${patience}]).catch(() => null) })()`,
    )
  }

  async function expectUntouched(): Promise<void> {
    const {items} = await gateway.app.store.turns.list({limit: 10})
    expect(items.map(({message}) => message)).to.deep.equal(['the secret of the owner'])
    expect((await gateway.get('/status')).body.model).to.include({id: 'test/model'})
  }
})
