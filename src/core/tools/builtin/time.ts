import * as z from 'zod'
import {SvcError} from '../../errors.js'
import {tool} from '../tool.js'

const regions = ['Africa', 'America', 'Antarctica', 'Asia', 'Atlantic', 'Australia', 'Europe', 'Indian', 'Pacific']

export const time = tool({
  name: 'time',
  description: 'Current date, weekday and time.',
  input: z.object({zone: z.string().max(64).optional().describe('IANA zone or city; default: local')}),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  run: async ({zone}, {app}) => timeIn(app.now(), zone === undefined ? localZone() : findZone(zone)),
})

/** @param zone an IANA zone */
export function timeIn(now: Date, zone: string): {iso: string; weekday: string; zone: string; text: string} {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  const part = Object.fromEntries(format.formatToParts(now).map(({type, value}) => [type, value]))
  const month = new Intl.DateTimeFormat('en-GB', {timeZone: zone, month: '2-digit'}).format(now)
  const day = (part.day ?? '').padStart(2, '0')
  const offset = (part.timeZoneName ?? '').replace('GMT', '') || '+00:00'
  return {
    iso: `${part.year?.padStart(4, '0')}-${month}-${day}T${part.hour}:${part.minute}:${part.second}${offset}`,
    weekday: part.weekday ?? '',
    zone,
    text: `${part.weekday}, ${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute} (${zone})`,
  }
}

/**
 * `Asia/Tokyo`, `asia/tokyo`, `Tokyo`, `new york` or `UTC` → the IANA name.
 * @throws SvcError `invalid-input`
 */
function findZone(asked: string): string {
  const name = asked.trim().replace(/\s+/g, '_')
  const known = canonicalZone(name) ?? Intl.supportedValuesOf('timeZone').find((zone) => cityOf(zone) === name.toLowerCase())
  // Cities whose zone is only a link to another, such as Kolkata, are in no list, but the system knows them by region.
  const zone = known ?? regions.map((region) => canonicalZone(`${region}/${name}`)).find((found) => found !== undefined)
  if (zone) return zone
  throw new SvcError('invalid-input', `"${asked}" is no time zone.`, {hint: 'Use an IANA name such as Europe/Berlin.'})
}

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', {timeZone: name}).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase()

const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
