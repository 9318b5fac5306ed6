import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {tempFolder} from './temp.js'

const root = join(import.meta.dirname, '../..')
const compileCache = join(tmpdir(), 'svc-test-compile-cache')

export interface Finished {
  /** null when a signal ended the process. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface Running {
  /** Service home; a new, empty one when it is left out. */
  home?: string
  env?: NodeJS.ProcessEnv
  /** Written to stdin, which is then closed. */
  input?: string
  cwd?: string
}

/** Starts the built `svc` as a user would: a process of its own with a real home. */
export async function startSvc(args: string[], options: Running = {}) {
  return startNode([join(root, 'bin', 'run.js'), ...args], options)
}

/** Starts the fixture commands of `test/support/fixture-cli` through the same `main`. */
export async function startFixture(args: string[], options: Running = {}) {
  return startNode(['--import', 'tsx', join(root, 'test/support/fixture-cli/run.ts'), ...args], options)
}

export async function runSvc(args: string[], options: Running = {}): Promise<Finished> {
  return finish(await startSvc(args, options))
}

export async function runFixture(args: string[], options: Running = {}): Promise<Finished> {
  return finish(await startFixture(args, options))
}

/** Waits for the end and collects what was printed. */
export async function finish(child: Awaited<ReturnType<typeof startNode>>): Promise<Finished> {
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return {code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr}
}

async function startNode(args: string[], {home, env = {}, input = '', cwd = root}: Running) {
  const child = spawn(process.execPath, args, {
    cwd,
    // A home of its own has no compiled code yet; sharing that makes a run twice as fast.
    env: {...clean(process.env), NODE_COMPILE_CACHE: compileCache, SVC_HOME: home ?? (await tempFolder()), ...env},
  })
  child.stdin.on('error', () => {}) // A command that does not read its input closes it.
  child.stdin.end(input)
  return child
}

/** Without what the machine of the developer would add: keys, colours, another home. */
function clean({PATH, HOME, LANG, TZ, NODE_V8_COVERAGE}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {PATH, HOME, LANG, TZ, NODE_V8_COVERAGE}
}
