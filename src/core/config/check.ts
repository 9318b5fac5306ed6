import type * as z from 'zod/mini'
import type {InputIssue} from '../errors.js'
import {agentIds} from './agents.js'
import {getIn, isTree, type KeyPath, prototypeKeys} from './key-path.js'
import {type Config, ConfigSchema} from './schema.js'

/** As deep as a request body may be. */
const maxDepth = 64

/** What no part of the configuration may look like, whether this version uses it or not. */
export function checkShape(raw: unknown, path: KeyPath = []): InputIssue[] {
  if (!isTree(raw)) return []
  if (path.length >= maxDepth) return [{path: [...path], message: `must not be nested deeper than ${maxDepth}`}]
  return Object.keys(raw).flatMap((key) => {
    const here = [...path, Array.isArray(raw) ? Number(key) : key]
    if (prototypeKeys.has(key)) return [{path: here, message: 'must not have this name'}]
    return checkShape(raw[key], here)
  })
}

export type Checked = {config: Config; issues: []} | {config: undefined; issues: InputIssue[]}

/** Fills in the defaults. The messages name types and limits, never the value: it may be a secret in the wrong place. */
export function checkConfig(expanded: unknown): Checked {
  const result = ConfigSchema.safeParse(expanded)
  if (!result.success) {
    return {
      config: undefined,
      issues: result.error.issues.map((issue) => ({
        path: issue.path.filter((key) => typeof key !== 'symbol'),
        message: describe(issue, getIn(expanded, issue.path as KeyPath)),
      })),
    }
  }
  const config = result.data
  const known = agentIds(config)
  if (known.includes(config.agents.default)) return {config, issues: []}
  const message = `must be the id of an agent: ${known.join(', ')}`
  return {config: undefined, issues: [{path: ['agents', 'default'], message}]}
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

function describe(issue: z.core.$ZodIssue, found: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = typeNames[issue.expected] ?? issue.expected
      return typeof found === 'number' ? `must be ${wanted}` : `must be ${wanted}, not ${typeName(found)}`
    }
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'invalid_key':
      return `is not a usable name: it ${issue.issues[0]?.message ?? 'does not fit'}`
    case 'too_small':
      if (issue.origin === 'string') return issue.message
      return issue.inclusive ? `must be at least ${issue.minimum}` : `must be more than ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    default:
      return issue.message
  }
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeNames[typeof value] ?? typeof value
}
