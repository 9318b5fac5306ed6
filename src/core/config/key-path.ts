import {SvcError} from '../errors.js'

/** A place in the configuration: `["models", "aliases", "gpt5.6"]`. An array, because keys may contain dots. */
export type KeyPath = readonly (string | number)[]

type Tree = Record<string | number, unknown>

/** Names that reach an object's prototype instead of its own keys. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The way people write it, `models.aliases["gpt5.6"]`. */
export function formatKey(path: KeyPath): string {
  let written = ''
  for (const key of path) {
    if (typeof key === 'number') written += `[${key}]`
    else if (!/^[$A-Za-z_][$\w-]*$/.test(key)) written += `[${JSON.stringify(key)}]`
    else written += written === '' ? key : `.${key}`
  }
  return written === '' ? 'the file' : written
}

export function getIn(tree: unknown, path: KeyPath): unknown {
  let value = tree
  for (const key of path) {
    if (!isTree(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/**
 * Sets one value and makes the objects on the way to it.
 *
 * @throws SvcError `invalid-input` when something that is not an object is in the way, or a key names a prototype
 */
export function setIn(draft: object, path: KeyPath, value: unknown): void {
  const last = checkPath(path)
  let parent = draft as Tree
  for (const [depth, key] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(parent, key)) parent[key] = {}
    const next = parent[key]
    if (!isTree(next)) throw notAnObject(path.slice(0, depth + 1))
    parent = next
  }
  if (Array.isArray(parent) && !(Number.isInteger(Number(last)) && Number(last) >= 0 && Number(last) <= parent.length)) {
    throw notAnObject(path.slice(0, -1))
  }
  parent[last] = value
}

/** @returns whether there was something to remove */
export function unsetIn(draft: object, path: KeyPath): boolean {
  const last = checkPath(path)
  const parent = getIn(draft, path.slice(0, -1))
  if (!isTree(parent) || !Object.hasOwn(parent, last)) return false
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return true
}

function checkPath(path: KeyPath): string | number {
  const last = path.at(-1)
  const reserved = path.find((key) => prototypeKeys.has(String(key)))
  if (last === undefined || reserved !== undefined) {
    throw new SvcError('invalid-input', reserved === undefined ? 'The key is empty.' : `"${reserved}" cannot be a key.`)
  }
  return last
}

function notAnObject(path: KeyPath): SvcError {
  return new SvcError('invalid-input', `${formatKey(path)} has no keys that could be set.`)
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null
}
