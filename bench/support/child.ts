import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {createInterface} from 'node:readline'
import type {Readable} from 'node:stream'
import {root} from './build.js'

export interface Child {
  pid: number
  /** What its first line of JSON that `isReady` accepts said. */
  ready: Record<string, unknown>
  /** Milliseconds from the start of the process to that line. */
  readyMs: number
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts Node and waits until it says on stdout, in one line of JSON, that it is ready. */
export async function startChild(
  args: string[],
  env: NodeJS.ProcessEnv,
  isReady: (line: Record<string, unknown>) => boolean,
): Promise<Child> {
  const started = performance.now()
  const child = spawn(process.execPath, args, {cwd: root, env, stdio: ['pipe', 'pipe', 'pipe']})
  running.add(child)
  child.once('exit', () => running.delete(child))
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2000)
  })
  for await (const line of createInterface({input: child.stdout as Readable})) {
    const said = JSON.parse(line) as Record<string, unknown>
    if (!isReady(said)) continue
    child.stdout.resume()
    return {pid: child.pid as number, ready: said, readyMs: performance.now() - started, stop: () => stop(child)}
  }
  throw new Error(`${args.join(' ')} did not start: ${errors}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(impatient)
}

/** Resident memory in MB, now and at its highest. */
export function residentMb(pid: number): {now: number; peak: number} {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
  return {now: megabytes('VmRSS'), peak: megabytes('VmHWM')}
}

/** Processor time of all its threads so far, in milliseconds. Fields 14 and 15 of proc(5), in ticks of 10 ms. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
