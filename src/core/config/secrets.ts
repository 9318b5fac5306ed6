import {isTree, type KeyPath} from './key-path.js'

/** Keys and header names whose text is a secret: `apiKey`, `x-api-key`, `token`, `Authorization`, `clientSecret`. */
export const secretKey =
  /(api[-_]?key|access[-_]?key|private[-_]?key|token|secret|password|passwd|passphrase|authorization|cookie|credentials?)$/i

const secretVariable = /(_API_KEY|_KEY|_TOKEN|_SECRET)$|^TOKEN$|^API_KEY$|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL/i

/** Switches and numbers stand under such names too (`USE_TOKEN=true`); shorter values cannot be told from ordinary words. */
const shortestVariable = 8

/**
 * Every secret value the process knows, so that logs, errors and transcripts can leave it out.
 *
 * @param written the configuration as written
 * @param expanded the same with its references expanded
 */
export function collectSecrets(written: unknown, expanded: unknown, env: Record<string, string | undefined>): string[] {
  const found = new Set<string>()
  collectFrom(expanded, [], found)
  collectHeaders(written, expanded, found)
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value.length >= shortestVariable && secretVariable.test(name)) found.add(value)
  }
  found.delete('')
  return [...found]
}

function collectFrom(value: unknown, path: KeyPath, found: Set<string>): void {
  if (typeof value === 'string') {
    if (secretKey.test(String(path.at(-1))) && path[1] !== 'aliases') found.add(value)
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:([^/@\s]+)@/i.exec(value)?.[1]
    if (password) found.add(password)
  } else if (isTree(value)) {
    for (const [key, item] of Object.entries(value))
      collectFrom(item, [...path, Array.isArray(value) ? (path.at(-1) ?? '') : key], found)
  }
}

/** A header of any name may carry a key; that it was not written into the file says so. */
function collectHeaders(written: unknown, expanded: unknown, found: Set<string>, inHeaders = false): void {
  if (!isTree(written) || !isTree(expanded)) return
  for (const [key, item] of Object.entries(written)) {
    const value = Object.hasOwn(expanded, key) ? expanded[key] : undefined
    if (inHeaders && typeof item === 'string' && item.includes('${') && typeof value === 'string') found.add(value)
    collectHeaders(item, value, found, key === 'headers')
  }
}
