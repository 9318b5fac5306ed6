import {formatKey, isTree, type KeyPath} from './key-path.js'
import {schemaAt} from './schema-at.js'

/** Reads one entry of the credential store; undefined when there is none. May throw: then the store cannot be read. */
export type ReadKeychain = (name: string) => Promise<string | undefined>

export interface Surroundings {
  env: Record<string, string | undefined>
  readKeychain: ReadKeychain
}

export interface Expanded {
  value: unknown
  /** One sentence for each reference that led to nothing. */
  warnings: string[]
}

/** `${NAME}`, `${KEYCHAIN:name}`, and either with a second `$` in front, which keeps it as it stands. */
const reference = /\$(\$)?\{(?:KEYCHAIN:([A-Za-z0-9._-]{1,128})|([A-Za-z_][A-Za-z0-9_]*))\}/g

/** Values only: what they expand to is not searched again, and keys stay as written. */
export async function expand(raw: unknown, surroundings: Surroundings): Promise<Expanded> {
  const warnings = new Set<string>()
  const value = await expandAt(raw, [], surroundings, warnings)
  return {value, warnings: [...warnings]}
}

async function expandAt(raw: unknown, path: KeyPath, surroundings: Surroundings, warnings: Set<string>): Promise<unknown> {
  if (typeof raw === 'string') return raw.includes('${') ? expandText(raw, path, surroundings, warnings) : raw
  if (Array.isArray(raw)) {
    const items: unknown[] = []
    for (const [index, item] of raw.entries()) {
      const expanded = await expandAt(item, [...path, index], surroundings, warnings)
      if (expanded !== undefined) items.push(expanded)
    }
    return items
  }
  if (!isTree(raw)) return raw
  const tree: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(raw)) {
    const expanded = await expandAt(value, [...path, key], surroundings, warnings)
    if (expanded !== undefined) tree[key] = expanded
  }
  return tree
}

/** A text that expands to nothing counts as not written, so that the default applies. The token is the exception. */
async function expandText(text: string, path: KeyPath, surroundings: Surroundings, warnings: Set<string>): Promise<unknown> {
  const missing: string[] = []
  let expanded = ''
  let end = 0
  for (const match of text.matchAll(reference)) {
    const [written, escaped, entry, name] = match
    expanded += text.slice(end, match.index)
    end = match.index + written.length
    if (escaped) {
      expanded += written.slice(1)
      continue
    }
    const found = entry === undefined ? readVariable(name ?? '', surroundings) : await readEntry(entry, surroundings)
    if ('problem' in found) missing.push(`\`${formatKey(path)}\` refers to ${written}, ${found.problem}.`)
    else expanded += found.value
  }
  expanded += text.slice(end)
  for (const warning of missing) warnings.add(warning)

  if (formatKey(path) === 'dashboard.token') {
    // A token with a hole in it is a guessable one, and an absent one means an open dashboard: an empty one locks it.
    return missing.length > 0 ? '' : expanded
  }
  return expanded === '' ? undefined : coerce(expanded, path)
}

type Found = {value: string} | {problem: string}

function readVariable(name: string, {env}: Surroundings): Found {
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value === undefined) return {problem: 'which is not set'}
  return value === '' ? {problem: 'which is empty'} : {value}
}

async function readEntry(name: string, {readKeychain}: Surroundings): Promise<Found> {
  try {
    const value = await readKeychain(name)
    return value ? {value} : {problem: 'which the credential store does not have'}
  } catch (error) {
    return {problem: `but the credential store cannot be read (${error instanceof Error ? error.message : error})`}
  }
}

/** Only a text can carry a reference, so a number or a switch arrives here as its text. */
function coerce(text: string, path: KeyPath): unknown {
  const type = schemaAt(path)?._zod.def.type
  if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text.trim())) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text.trim())) return text.trim().toLowerCase() === 'true'
  return text
}
