import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {delimiter, join} from 'node:path'
import {pathToFileURL} from 'node:url'
import {expect} from 'chai'
import {finish, runSvc} from '../support/run-svc.js'
import {tempFolder} from '../support/temp.js'

const root = join(import.meta.dirname, '../..')
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string}

describe('bin/run.js', () => {
  it('answers --version without loading the program or touching the home', async () => {
    const home = join(await tempFolder(), 'none')
    const {code, stdout} = await runSvc(['--version'], {home})
    expect([code, stdout]).to.deep.equal([0, `svc/${version} ${process.platform}-${process.arch} node-${process.version}\n`])
    expect(existsSync(home)).to.equal(false)
    expect(JSON.parse((await runSvc(['--version', '--json'], {home})).stdout)).to.include({schemaVersion: 1, ok: true, version})
  })

  it('makes the home for its owner alone and keeps compiled code there', async () => {
    const home = join(await tempFolder(), 'svc')
    const {code} = await runSvc(['--help'], {home, env: {NODE_COMPILE_CACHE: undefined}})
    expect([code, statSync(home).mode & 0o777, existsSync(join(home, 'cache'))]).to.deep.equal([0, 0o700, true])
  })

  it('runs where no home can be made', async () => {
    const file = join(await tempFolder(), 'file')
    writeFileSync(file, '')
    const {code, stdout} = await runSvc(['--help'], {home: join(file, 'svc'), env: {NODE_COMPILE_CACHE: undefined}})
    expect(code).to.equal(0)
    expect(stdout).to.include('USAGE')
  })

  it('prints no colour when told so, even where colour is forced', async () => {
    const colours = {FORCE_COLOR: '1'}
    const coloured = '\u001b['
    expect((await runSvc(['--help'], {env: colours})).stdout).to.include(coloured)
    expect((await runSvc(['--help'], {env: {...colours, NO_COLOR: '1'}})).stdout).to.not.include(coloured)
    expect((await runSvc(['--help'], {env: {...colours, TERM: 'dumb'}})).stdout).to.not.include(coloured)
    expect((await runSvc(['--no-color', '--help'], {env: colours})).stdout).to.not.include(coloured)
  })

  it('starts again on the Node of its own packages when it was started on an old one', async function () {
    const old = oldNode()
    if (!old) return this.skip()
    const child = spawn(old, [join(root, 'bin/run.js'), 'nonsense', '--json'], {
      env: {...process.env, SVC_HOME: await tempFolder()},
    })
    const {code, stdout, stderr} = await finish(child)
    expect([code, JSON.parse(stdout).error.code, stderr]).to.deep.equal([2, 'invalid-input', ''])
  })
})

describe('restart on another Node', () => {
  it('passes signals on and ends with the exit code of the child', async () => {
    const {child} = await restart(`process.on('SIGTERM', () => { console.log('draining'); process.exit(7) })`)
    child.kill('SIGTERM')
    expect(await finish(child)).to.include({code: 7, signal: null, stdout: 'draining\n'})
  })

  it('ends by the signal that ended the child', async () => {
    const {child} = await restart('')
    child.kill('SIGINT')
    expect(await finish(child)).to.include({code: null, signal: 'SIGINT'})
  })

  it('takes the child along when it is killed itself', async function () {
    if (!existsSync('/usr/bin/setpriv')) return this.skip()
    const {child, pid} = await restart('')
    child.kill('SIGKILL')
    await once(child, 'exit')
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('names the Node that is needed where none was installed', async () => {
    const empty = await tempFolder()
    const {code, stderr} = await finish(spawnRestart(empty, join(empty, 'script.js')))
    expect([code, stderr]).to.deep.equal([
      1,
      `Error: svc needs Node 24 or newer, and this is ${process.versions.node}.\nTry: https://nodejs.org/en/download\n`,
    ])
  })

  /** Runs a script that prints its process id and then stays, through `restart`, in a package folder of its own. */
  async function restart(code: string) {
    const folder = await tempFolder()
    const script = join(folder, 'script.cjs')
    mkdirSync(join(folder, 'node_modules', '.bin'), {recursive: true})
    symlinkSync(process.execPath, join(folder, 'node_modules', '.bin', 'node'))
    writeFileSync(script, `${code}\nsetInterval(() => {}, 1000)\nconsole.log(process.pid)\n`)
    chmodSync(script, 0o755)
    const child = spawnRestart(folder, script)
    const [pid] = await once(child.stdout, 'data')
    return {child, pid: Number(String(pid))}
  }

  function spawnRestart(folder: string, script: string) {
    const module = pathToFileURL(join(root, 'bin/restart.js')).href
    const code = `import {restart} from '${module}'\nrestart(${JSON.stringify(folder)}, ${JSON.stringify(script)}, [], 24)`
    return spawn(process.execPath, ['--input-type=module', '-e', code])
  }
})

/** A Node on the PATH that svc does not run on; the one in node_modules/.bin comes first under npm and is not it. */
function oldNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return candidates.find((node) => {
    if (!existsSync(node)) return false
    const major = Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], {encoding: 'utf8'}), 10)
    return major < 24 && existsSync(join(root, 'node_modules/.bin/node'))
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended stays visible until it is reaped.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
