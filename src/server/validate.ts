import type {z} from 'zod'
import {type InputIssue, SvcError} from '../core/errors.js'

/** @throws SvcError `invalid-input` that names every place which does not fit */
export function validate<Schema extends z.ZodType>(part: string, schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.flatMap(toIssues)
  const [first] = issues
  const where = first?.path.length ? `${first.path.join('.')}: ` : ''
  throw new SvcError('invalid-input', `The ${part} does not fit: ${where}${first?.message ?? 'invalid'}.`, {issues})
}

function toIssues(issue: z.core.$ZodIssue): InputIssue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  // Zod names unknown keys in its message only.
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({path: [...path, key], message: 'unknown key'}))
  return [{path, message: decapitalize(issue.message)}]
}

const decapitalize = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`
