import type {IncomingMessage, ServerResponse} from 'node:http'
import {SvcError} from '../core/errors.js'

const MAX_BYTES = 1024 * 1024
const MAX_DEPTH = 64
const JSON_UTF8 = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i
/** Keys that reach an object's prototype in careless code. Ours has no use for them. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The request's body as JSON; undefined when it has none.
 *
 * @throws SvcError `unsupported-media-type`, `too-large`, `invalid-input`; as early as it can be known
 */
export async function readBody(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  if (!hasBody(req)) return undefined
  checkHeaders(req)
  // Only now, so that a client that asks first never sends what would be refused.
  if (req.headers.expect !== undefined) res.writeContinue()
  const value = parse(await collect(req))
  checkShape(value, [])
  return value
}

/** Whether the headers announce a body. */
export function hasBody({headers}: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function checkHeaders({headers}: IncomingMessage): void {
  const type = headers['content-type']
  if (type === undefined || !JSON_UTF8.test(type)) {
    throw new SvcError('unsupported-media-type', type === undefined ? 'The body has no Content-Type.' : `The body is ${type}.`, {
      hint: 'Send Content-Type: application/json.',
    })
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new SvcError('unsupported-media-type', `The body is encoded with ${encoding}.`, {
      hint: 'Send it without Content-Encoding.',
    })
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge()
}

function collect(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) chunks.push(chunk)
      else {
        req.off('data', take)
        reject(tooLarge())
      }
    }
    req.on('data', take)
    req.once('end', () => resolve(Buffer.concat(chunks)))
    req.once('error', reject)
  })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes))
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'not JSON' : 'not valid UTF-8'
    throw new SvcError('invalid-input', `The body is ${why}.`, {issues: [{path: [], message: why}], cause})
  }
}

/** Parsing is iterative and may go as deep as a body is long; from here on recursion is safe. */
function checkShape(value: unknown, path: (string | number)[]): void {
  if (typeof value !== 'object' || value === null) return
  if (path.length >= MAX_DEPTH) throw misshapen([], `nested deeper than ${MAX_DEPTH} levels`)
  const isArray = Array.isArray(value)
  for (const key of Object.keys(value)) {
    // One path for the whole walk: a copy for each of half a million items would take longer than parsing them.
    path.push(isArray ? Number(key) : key)
    if (FORBIDDEN_KEYS.has(key)) throw misshapen([...path], `the key ${key} is not allowed`)
    checkShape((value as Record<string, unknown>)[key], path)
    path.pop()
  }
}

function misshapen(path: (string | number)[], message: string): SvcError {
  return new SvcError('invalid-input', `The body does not fit: ${message}.`, {issues: [{path, message}]})
}

function tooLarge(): SvcError {
  return new SvcError('too-large', 'The body is larger than 1 MiB.', {hint: 'Send at most 1048576 bytes.'})
}
