import {createHash, timingSafeEqual} from 'node:crypto'
import type {IncomingMessage} from 'node:http'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'
import type {Trust} from './client-address.js'

const MAX_FAILURES = 10
const FAILURE_WINDOW_MS = 60_000
const LOCK_MS = 5 * 60_000

/** Tells whether the request that was let in would still be. */
export type Pass = () => boolean

/**
 * Lets a request with the right `Authorization: Bearer` in. Without a configured token everybody is; with one that expanded to
 * nothing nobody is. The token is read anew each time, so one that was rotated away is refused at once.
 *
 * @throws SvcError `unauthorized`; `rate-limited` too many wrong tokens came from this address
 */
export async function authenticate(app: App, req: IncomingMessage, trust: Trust): Promise<Pass> {
  const expected = app.config.dashboard.token
  const pass = () => app.config.dashboard.token === expected
  if (expected === undefined) return pass
  if (expected === '') {
    throw new SvcError('unauthorized', 'The configured dashboard token is empty.', {
      hint: 'Set the variable that dashboard.token refers to, and restart.',
    })
  }
  const presented = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
  const right = presented !== undefined && isSame(presented, expected)
  // The owner at the machine is never locked out, whatever another program on it tries.
  if (right && trust.isLocal(req)) return pass
  await refuseLocked(app, trust.clientOf(req))
  if (right) return pass
  // A page that asks before its owner has typed the token is not a guess.
  if (presented !== undefined) await countFailure(app, trust.clientOf(req))
  throw new SvcError('unauthorized', presented === undefined ? 'The request has no token.' : 'The token is wrong.', {
    hint: 'Send Authorization: Bearer with the value of dashboard.token.',
  })
}

/** Digests have one length, so the comparison takes the same time whatever was sent. */
function isSame(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

async function refuseLocked(app: App, address: string): Promise<void> {
  const until = await app.store.logins.lockedUntil(address, app.now().toISOString())
  if (until === undefined) return
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - app.now().getTime()) / 1000))
  throw new SvcError('rate-limited', `Too many wrong tokens came from ${address}.`, {
    hint: `Try again in ${seconds} s, or use the right token on the machine itself.`,
    retryAfter: seconds,
  })
}

async function countFailure(app: App, address: string): Promise<void> {
  const now = app.now().getTime()
  const since = new Date(now - FAILURE_WINDOW_MS).toISOString()
  const failures = await app.store.logins.addFailure(address, new Date(now).toISOString(), since)
  if (failures < MAX_FAILURES) return
  await app.store.logins.lock(address, new Date(now + LOCK_MS).toISOString())
  app.log.warn('Locked an address after too many wrong tokens.', {address, failures, minutes: LOCK_MS / 60_000})
}
