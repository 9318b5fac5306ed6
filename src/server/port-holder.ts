import {readdir, readFile, readlink} from 'node:fs/promises'
import {basename} from 'node:path'

/** In words, who listens on a port of this machine: `another svc gateway (node, pid 4711)`. */
export async function describeHolder(host: string, port: number): Promise<string> {
  const [isGateway, holder] = await Promise.all([answersLikeUs(host, port), findProcess(port)])
  const what = isGateway ? 'another svc gateway' : 'another program'
  return holder ? `${what} (${holder.name}, pid ${holder.pid})` : what
}

async function answersLikeUs(host: string, port: number): Promise<boolean> {
  try {
    const reply = await fetch(`http://${host}:${port}/health`, {signal: AbortSignal.timeout(1000), redirect: 'error'})
    const health = (await reply.json()) as {status?: unknown; uptime?: unknown}
    return (health.status === 'ok' || health.status === 'degraded') && typeof health.uptime === 'number'
  } catch {
    return false
  }
}

/** Linux only, and only for processes that this user may look into; undefined elsewhere. */
async function findProcess(port: number): Promise<{pid: number; name: string} | undefined> {
  const sockets = await listeningSockets(port)
  if (sockets.size === 0) return undefined
  const entries = await readdir('/proc').catch(() => [])
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    if (!targets.some((target) => sockets.has(target))) continue
    // Not `comm`: that is the name of the main thread, which a program may set to anything.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return {pid: Number(pid), name: basename(command.split('\0')[0] ?? '') || 'unknown'}
  }
  return undefined
}

/** As the links in `/proc/PID/fd` name them: `socket:[12345]`. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')))
  const rows = tables.flatMap((table) => table.split('\n').slice(1)).map((row) => row.trim().split(/\s+/))
  // Columns: slot, local address, remote address, state (0A is LISTEN), …, the tenth is the inode.
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return new Set(rows.filter((row) => row[1]?.endsWith(suffix) && row[3] === '0A').map((row) => `socket:[${row[9]}]`))
}
