import type {IncomingMessage} from 'node:http'
import {BlockList, isIP} from 'node:net'
import {SvcError} from '../core/errors.js'

/** Which proxies are believed, and so who the client is. */
export interface Trust {
  isProxy(address: string | undefined): boolean
  /** The address behind the trusted proxies, IPv4-mapped IPv6 as IPv4. */
  clientOf(req: IncomingMessage): string
  /** Whether the client itself is on this machine; a proxy on this machine is not the client. */
  isLocal(req: IncomingMessage): boolean
}

/**
 * @param proxies addresses, or networks such as `10.0.0.0/8`
 * @throws SvcError `bad-config` one of them is neither
 */
export function createTrust(proxies: readonly string[]): Trust {
  const list = new BlockList()
  for (const [index, proxy] of proxies.entries()) {
    const [address = '', prefix] = proxy.split('/')
    const plain = plainAddress(address)
    const bits = isIP(plain) === 6 ? 128 : 32
    if (isIP(plain) === 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))) {
      const message = `gateway.trustedProxies has ${JSON.stringify(proxy)}, which is no address.`
      const issues = [{path: ['gateway', 'trustedProxies', index], message}]
      throw new SvcError('bad-config', message, {hint: 'Write 192.0.2.7, or a network as 192.0.2.0/24.', issues})
    }
    list.addSubnet(plain, Number(prefix ?? bits), family(plain))
  }
  const isProxy = (address: string | undefined) => {
    const plain = plainAddress(address ?? '')
    return isIP(plain) !== 0 && list.check(plain, family(plain))
  }

  return {
    isProxy,
    clientOf(req) {
      const direct = plainAddress(req.socket.remoteAddress ?? '')
      if (!isProxy(direct)) return direct
      // Every proxy adds the address it saw at the end; what stands left of the first stranger is the stranger's word.
      const forwarded = [req.headers['x-forwarded-for'] ?? []]
        .flat()
        .join(',')
        .split(',')
        .map((part) => plainAddress(part.trim()))
      const stranger = forwarded.findLast((address) => isIP(address) !== 0 && !isProxy(address))
      return stranger ?? direct
    },
    isLocal: (req) => isLoopback(req.socket.remoteAddress ?? '') && !isForwarded(req),
  }
}

/** Whether a proxy says that it passed the request on. */
export function isForwarded({rawHeaders}: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    // Nearly every header is told apart by its first letter.
    const first = name.charCodeAt(0) | 0x20
    if (first !== 0x78 && first !== 0x66) continue
    const lower = name.toLowerCase()
    if (lower === 'forwarded' || lower === 'x-real-ip' || lower.startsWith('x-forwarded-')) return true
  }
  return false
}

/** `::ffff:127.0.0.1` and `127.0.0.1` are one address, and would otherwise be locked and counted apart. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return mapped ?? address.replace(/%.*$/, '').toLowerCase()
}

export function isLoopback(address: string): boolean {
  const plain = plainAddress(address)
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
