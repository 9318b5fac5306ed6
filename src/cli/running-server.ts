import {isAlive} from '../core/agent/process-identity.js'
import type {App} from '../core/app.js'

const KEY = 'server'
/** A healthy server answers in a few milliseconds. */
const PATIENCE_MS = 1500

export interface RunningServer {
  pid: number
  /** Null until it listens. */
  url: string | null
  /** What its `/health` says; `unreachable` when nothing answers there. */
  health: 'ok' | 'degraded' | 'unreachable'
  /** Seconds; null when it does not answer. */
  uptime: number | null
}

/** Lets other processes of this home know where the server listens. */
export async function announceServer(app: App, url: string): Promise<void> {
  await app.store.state.set(KEY, JSON.stringify({pid: process.pid, url}), 'serve', app.now().toISOString())
}

/** The server of this home; null when none runs. */
export async function findServer(app: App): Promise<RunningServer | null> {
  const processes = await app.store.processes.list()
  const record = processes.find((other) => other.kind === 'serve' && isAlive(other, app.now()))
  if (!record) return null
  const announced = JSON.parse((await app.store.state.get(KEY)) ?? '{}') as {pid?: number; url?: string}
  // An address of an earlier server, when this one does not listen yet.
  const url = announced.pid === record.pid ? (announced.url ?? null) : null
  return {pid: record.pid, url, ...(await askHealth(url))}
}

async function askHealth(url: string | null): Promise<Pick<RunningServer, 'health' | 'uptime'>> {
  try {
    if (url === null) return {health: 'unreachable', uptime: null}
    const reply = await fetch(new URL('/health', url), {signal: AbortSignal.timeout(PATIENCE_MS)})
    const {status, uptime} = (await reply.json()) as {status: 'ok' | 'degraded'; uptime: number}
    return {health: status, uptime}
  } catch {
    return {health: 'unreachable', uptime: null}
  }
}
