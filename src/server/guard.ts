import type {IncomingMessage} from 'node:http'
import type {Config} from '../core/config/schema.js'
import {SvcError} from '../core/errors.js'
import {isForwarded, type Trust} from './client-address.js'

/** Throws when the request may not be looked at any further. Runs before routing, for every request. */
export type Guard = (req: IncomingMessage) => void

/**
 * Keeps web pages, rebound names and unknown proxies out. The gateway's own routes have no login, so this is what stands between
 * them and every page that the owner's browser has open.
 *
 * @param port where the server listens; an authority without it is somebody else's
 */
export function createGuard(gateway: Config['gateway'], port: number, trust: Trust): Guard {
  const isOurs = createAuthorityCheck(gateway, port)

  return function guard(req) {
    checkTarget(req.url ?? '')
    checkHost(req, isOurs)
    if (req.method === 'OPTIONS')
      throw refused('Preflight requests are not answered.', 'This server has no endpoints for other origins.')
    checkOrigin(req, isOurs)
    checkForwarding(req, trust)
    // HTTP/2 may be offered and ignored: some clients do it with every request.
    if (!/^(?:h2c)?$/i.test(req.headers.upgrade ?? ''))
      throw malformed('The connection cannot be upgraded.', 'Speak plain HTTP/1.1.')
  }
}

const PLAIN_TARGET = /^\/[A-Za-z0-9_/-]*$/
const VISIBLE_ASCII = /^[\x21-\x7e]*$/
const ENCODED_TROUBLE = /%(?:2f|5c|00)/i

function checkTarget(target: string): void {
  if (PLAIN_TARGET.test(target)) return
  // `http://…` would name an authority beside the Host header; `*` and CONNECT's form mean nothing here.
  if (!target.startsWith('/'))
    throw refused('The request target is not a path.', 'Send the path only, and the authority in the Host header.')
  if (!VISIBLE_ASCII.test(target) || target.includes('#') || !decodes(target)) {
    throw malformed('The path is not properly percent-encoded.', 'Encode it as UTF-8, each byte as %XX.')
  }
  const [path = ''] = target.split('?', 1)
  if (path.includes('\\') || ENCODED_TROUBLE.test(path) || target.includes('%00')) {
    throw malformed('The path contains an encoded slash, a backslash or NUL.', 'Ids have only letters, digits, - and _.')
  }
  const segments = path.split('/').map(decodeURIComponent)
  if (segments.includes('.') || segments.includes('..'))
    throw malformed('The path contains dot segments.', 'Send the path resolved.')
}

function decodes(target: string): boolean {
  try {
    decodeURIComponent(target)
    return true
  } catch {
    return false
  }
}

/** DNS rebinding makes Origin equal Host and sends no Sec-Fetch header, so this check alone stops it. */
function checkHost(req: IncomingMessage, isOurs: (authority: string) => boolean): void {
  // `headers.host` is the first of them; a proxy in front may believe the last.
  const hosts = countHeader(req.rawHeaders, 'host')
  if (hosts === 1 && isOurs(req.headers.host ?? '')) return
  const what =
    hosts === 0
      ? 'The request has no Host.'
      : hosts > 1
        ? 'The request has several Host headers.'
        : `Host ${JSON.stringify(req.headers.host)} is not ours.`
  throw refused(what, 'Use the address that svc printed, or add yours to gateway.allowedHosts.')
}

function checkOrigin({headers, method, url = ''}: IncomingMessage, isOurs: (authority: string) => boolean): void {
  const {origin} = headers
  if (origin !== undefined && !isOurs(/^https?:\/\/(.*)$/i.exec(origin)?.[1] ?? '')) {
    throw refused(
      `Origin ${JSON.stringify(origin)} is not ours.`,
      'Other web pages cannot use this server. Use its own page, or a program.',
    )
  }
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  // Following a link to the page is harmless: the page then asks with its own origin.
  const followsLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && (headers['sec-fetch-dest'] ?? 'document') === 'document'
  if (followsLink && /^\/dashboard(?:[/?]|$)/.test(url)) return
  throw refused(
    `The request comes from a ${site} page.`,
    'Other web pages cannot use this server. Use its own page, or a program.',
  )
}

function checkForwarding(req: IncomingMessage, trust: Trust): void {
  if (!isForwarded(req) || trust.isProxy(req.socket.remoteAddress)) return
  throw refused(
    'The request was forwarded by a proxy that is not trusted.',
    'Add the address of the proxy to gateway.trustedProxies.',
  )
}

function countHeader(rawHeaders: string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] as string
    if (header.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}

/** Whether an authority, as Host or Origin write it, is one of this server's. */
function createAuthorityCheck({host, allowedHosts}: Config['gateway'], port: number): (authority: string) => boolean {
  const everyInterface = host === '0.0.0.0' || host === '::'
  const names = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    ...(everyInterface ? [] : [host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host]),
  ]
  const ours = new Set(allowedHosts.map(normalizeAuthority))
  for (const name of names.map(normalizeAuthority)) {
    ours.add(`${name}:${port}`)
    // Clients leave out the port that the scheme implies.
    if (port === 80) ours.add(name)
  }
  return (authority) => ours.has(authority) || ours.has(normalizeAuthority(authority))
}

/** Lower case, without the dot that ends a fully qualified name: `LOCALHOST.:80` → `localhost:80`. */
function normalizeAuthority(authority: string): string {
  return authority.toLowerCase().replace(/\.(?=:\d+$|$)/, '')
}

function refused(message: string, hint: string): SvcError {
  return new SvcError('forbidden-origin', message, {hint})
}

function malformed(message: string, hint: string): SvcError {
  return new SvcError('invalid-input', message, {hint, issues: [{path: [], message}]})
}
