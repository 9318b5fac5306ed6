import type {Node, ParseError} from 'jsonc-parser'
import {SvcError} from '../errors.js'
import type {KeyPath} from './key-path.js'

export interface Place {
  /** Both count from 1. */
  line: number
  column: number
}

/**
 * Parses the text of a configuration file: strict JSON with an object at the top.
 *
 * @throws SvcError `bad-config` that names the file, the line and the column
 */
export async function parseJson(text: string, file: string): Promise<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    // Not passed on as the cause: the words of JSON.parse quote the text, which may hold a token.
    const {place, problem} = await explain(text, cause)
    throw new SvcError('bad-config', `${file}:${place.line}:${place.column}: ${problem}.`, {
      hint: `Mend ${file}; nothing was changed.`,
    })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  throw new SvcError('bad-config', `${file}:1:1: the file must hold an object in braces, not ${found}.`, {
    hint: 'An empty configuration is written {}.',
  })
}

/** A function that finds keys in a text which parses; what is not there is found at the nearest thing around it. */
export async function placesIn(text: string): Promise<(path: KeyPath) => Place> {
  const {findNodeAtLocation, parseTree} = await jsonc()
  const root = unlessTooDeep(() => parseTree(text))
  return (path) => {
    for (let length = path.length; root && length > 0; length--) {
      const node = findNodeAtLocation(root, path.slice(0, length))
      if (node) return placeOf(text, keyOf(node).offset)
    }
    return {line: 1, column: 1}
  }
}

/** The node of the key, where there is one: a mistake is looked for at the name. */
function keyOf(node: Node): Node {
  return (node.parent?.type === 'property' && node.parent.children?.[0]) || node
}

async function explain(text: string, cause: unknown): Promise<{place: Place; problem: string}> {
  if (text.trim() === '') return {place: {line: 1, column: 1}, problem: 'the file is empty; an empty configuration is written {}'}
  const {parse, printParseErrorCode} = await jsonc()
  const errors: ParseError[] = []
  unlessTooDeep(() => parse(text, errors, {disallowComments: true, allowTrailingComma: false}))
  const first = errors[0]
  if (first) {
    return {place: placeOf(text, first.offset), problem: problemAt(text, first.offset, printParseErrorCode(first.error))}
  }
  // JSON.parse is the stricter of the two, for instance about control characters in strings.
  const offset = Number(/position (\d+)/.exec(String(cause))?.[1] ?? text.length)
  return {place: placeOf(text, offset), problem: problemAt(text, offset, '')}
}

const problems: Record<string, string> = {
  InvalidCommentToken: 'JSON allows no comments',
  UnexpectedEndOfComment: 'JSON allows no comments',
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing after the key',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  UnexpectedEndOfString: 'the quotes of this text are not closed on its line',
  InvalidEscapeCharacter: 'a backslash in a text is written twice',
  InvalidUnicode: 'a backslash in a text is written twice',
  EndOfFileExpected: 'there is more text after the end of the object',
}

function problemAt(text: string, offset: number, code: string): string {
  const trailingComma = text.slice(0, offset).trimEnd().endsWith(',') && /^[\]}]/.test(text.slice(offset))
  if (trailingComma) return 'JSON allows no comma before a closing bracket'
  if (offset >= text.trimEnd().length) return 'the text ends too early; a bracket or a quote is not closed'
  return problems[code] ?? 'this is not JSON'
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  return {line: before.split('\n').length, column: offset - before.lastIndexOf('\n')}
}

/** jsonc-parser calls itself for every bracket. Without its answer the place is less exact. */
function unlessTooDeep<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Only a file with a mistake pays for it. */
function jsonc() {
  return import('jsonc-parser')
}
