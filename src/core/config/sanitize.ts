import {escapeControls} from './escape.js'
import {isTree} from './key-path.js'
import type {Redactor} from './redact.js'
import {secretKey} from './secrets.js'

const maxDepth = 6
const maxItems = 100
const maxText = 8192

/** Turns any value into plain JSON without secrets and without characters that act on a terminal. Never throws. */
export function sanitizer(redact: Redactor): (value: unknown) => unknown {
  // Redacted before it is cut, or half of a secret would stay at the edge.
  const text = (value: string) => escapeControls(shorten(redact(value)))

  const clean = (value: unknown, around: readonly unknown[]): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'symbol' || typeof value === 'function') return `[${typeof value}]`
    if (!isTree(value)) return value
    if (around.includes(value)) return '[circular]'
    if (around.length >= maxDepth) return '[deeper]'
    if (value instanceof Date) return Number.isNaN(value.valueOf()) ? null : value.toISOString()
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (value instanceof URL) return text(value.href)

    const inside = [...around, value]
    if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => clean(item, inside))
    if (value instanceof Map || value instanceof Set) return clean([...value], inside)
    if (value instanceof Error) return cleanError(value, inside)
    return Object.fromEntries(
      Object.keys(value)
        .slice(0, maxItems)
        .map((key) => [text(key), isSecret(key, value) ? '[REDACTED]' : clean(read(value, key), inside)]),
    )
  }

  /** The stack as a list of lines: escaped line ends would make it unreadable. */
  const cleanError = (error: Error, inside: readonly unknown[]): unknown => ({
    name: text(error.name),
    message: text(error.message),
    ...(clean({...error}, inside.slice(0, -1)) as object),
    stack: (error.stack ?? '').split('\n').map(text),
    ...(error.cause === undefined ? {} : {cause: clean(error.cause, inside)}),
  })

  return (value) => {
    try {
      return clean(value, [])
    } catch {
      return '[unreadable]'
    }
  }
}

function shorten(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}… (${text.length} characters)` : text
}

/** Counts stand under such names too: `{inputToken: 12}`. */
function isSecret(key: string, tree: Record<string | number, unknown>): boolean {
  return secretKey.test(key) && !['number', 'boolean', 'undefined'].includes(typeof read(tree, key)) && read(tree, key) !== null
}

/** A getter may throw. */
function read(tree: Record<string | number, unknown>, key: string): unknown {
  try {
    return tree[key]
  } catch {
    return '[unreadable]'
  }
}
