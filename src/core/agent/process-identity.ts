import {execFileSync} from 'node:child_process'
import {readFileSync, readlinkSync} from 'node:fs'
import {hostname} from 'node:os'
import type {ProcessRecord} from '../store/store.js'

/** How long another machine waits before it takes a silent process for dead. */
export const LEASE_MS = 15_000

/** This process, as others will look for it. */
export function describeSelf(id: string, kind: ProcessRecord['kind'], now: Date): ProcessRecord {
  return {
    id,
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? '',
    host: hostIdentity(),
    kind,
    leaseUntil: new Date(now.getTime() + LEASE_MS).toISOString(),
  }
}

/**
 * Whether the process still runs. On its own machine its pid and start time tell at once; elsewhere only its lease does.
 */
export function isAlive(record: ProcessRecord, now: Date): boolean {
  if (record.host !== hostIdentity()) return record.leaseUntil > now.toISOString()
  return startTimeOf(record.pid) === record.startTime
}

let identity: string | undefined

/** The machine, its boot and the process namespace: within it a pid and its start time name one process. */
function hostIdentity(): string {
  identity ??= [hostname(), read('/proc/sys/kernel/random/boot_id'), link('/proc/self/ns/pid')].filter(Boolean).join(' ')
  return identity
}

/** When the process started, in the system's own words; undefined when there is none. A zombie counts as none. */
function startTimeOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    // The name in parentheses may hold spaces and parentheses itself. Fields as in proc(5): 3 is the state, 22 the start time.
    const fields = read(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, '')
      .split(' ')
    return fields && fields[0] !== 'Z' && fields[0] !== 'X' ? fields[19] : undefined
  }
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], {encoding: 'utf8', stdio: 'pipe'}).trim() || undefined
  } catch {
    return undefined
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function link(file: string): string | undefined {
  try {
    return readlinkSync(file)
  } catch {
    return undefined
  }
}
