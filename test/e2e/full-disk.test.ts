import {execFileSync} from 'node:child_process'
import {rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {createApp} from '../../src/core/create-app.js'
import {type RunningServer, startServer} from '../../src/server/serve.js'
import {tempFolder} from '../support/temp.js'

/** Mounts a disk so small that a test can fill it; undefined where only an administrator may. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], {stdio: 'pipe'})
    return true
  } catch {
    return false
  }
}

function fill(folder: string): () => void {
  const filler = join(folder, 'filler')
  for (let size = 1 << 20; size >= 1 << 9; size >>= 1) {
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(size), {flag: 'a'})
    } catch {}
  }
  return () => rmSync(filler)
}

describe('A gateway on a full disk', () => {
  let home: string | undefined
  afterEach(() => home && execFileSync('umount', ['-l', home]))

  it('refuses clearly, says so in /health, and goes on by itself when there is room', async function () {
    this.timeout(30_000)
    const folder = await tempFolder()
    if (!mountSmallDisk(folder)) {
      if (process.env.CI) throw new Error('A small disk cannot be mounted, which CI must be able to.')
      console.log('      skipped: mounting a small disk needs an administrator')
      this.skip()
    }
    home = folder
    writeFileSync(join(home, 'config.json'), JSON.stringify({gateway: {port: 0}}))
    const app = await createApp({home, env: {}, kind: 'serve', stderr: 'off'})
    const server = await startServer(app)
    expect((await say(server, 'hello')).status).to.equal(200)

    const makeRoom = fill(home)
    const refused = await say(server, 'lost?')
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'storage-unavailable'])
    expect(refused.body.hint).to.contain('disk space')
    expect(await healthUntil(server, 503)).to.equal(503)

    makeRoom()
    expect(await healthUntil(server, 200)).to.equal(200)
    expect((await say(server, 'hello again')).status).to.equal(200)
    expect((await app.store.turns.list({limit: 10})).items.map(({message, status}) => [message, status])).to.deep.equal([
      ['hello again', 'completed'],
      ['hello', 'completed'],
    ])
    await server.close(0)
    await app.close(0)
  })
})

async function say({url}: RunningServer, message: string) {
  const headers = {'content-type': 'application/json'}
  const response = await fetch(`${url}/message`, {method: 'POST', headers, body: JSON.stringify({message})})
  return {status: response.status, body: (await response.json()) as Record<string, string>}
}

/** The status of `/health`, once it is the wanted one or has had ten seconds for it. */
async function healthUntil({url}: RunningServer, wanted: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    const {status} = await fetch(`${url}/health`)
    if (status === wanted || tries === 100) return status
    await sleep(100)
  }
}
