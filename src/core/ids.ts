import {randomBytes} from 'node:crypto'

/**
 * A new id, `turn_mh2k9x0a7f3c…`: the time first, so that ids sort by age and stay close together in an index, then 80 random bits.
 *
 * @param kind what it names, in a word
 */
export function newId(kind: string): string {
  return `${kind}_${Date.now().toString(36)}${randomBytes(10).toString('hex')}`
}

/** What an id may look like, wherever it comes from. */
export const ID = /^[A-Za-z0-9_-]{1,64}$/
