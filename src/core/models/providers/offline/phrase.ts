import * as z from 'zod'
import type {ToolResult} from './messages.js'

/** What the tools gave back, as sentences; failures in the tool's own words. */
export function phraseResults(results: readonly ToolResult[]): string {
  return results.map(phrase).join('\n\n')
}

function phrase({name, output}: ToolResult): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'error-text':
      return `That did not work: ${output.value}`
    case 'error-json':
      return `That did not work: ${JSON.stringify(output.value)}`
    case 'execution-denied':
      return `That was not allowed${output.reason ? `: ${output.reason}` : '.'}`
    case 'json':
      return phrases[name]?.(output.value) ?? JSON.stringify(output.value, null, 2)
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n')
  }
}

/** By tool. A result of another shape than expected, perhaps of another tool of that name, is shown as it is. */
const phrases: Record<string, (value: unknown) => string | undefined> = {
  time: saying(z.object({text: z.string()}), ({text}) => `It is ${text}.`),

  remember: saying(
    z.object({remembered: z.string(), file: z.string()}),
    ({remembered, file}) => `Noted in ${file}: ${remembered}`,
  ),

  recall: saying(z.object({lines: z.array(z.object({text: z.string()}))}), ({lines}) =>
    lines.length === 0
      ? 'I have no note about that.'
      : listed(
          'My notes say:',
          lines.map(({text}) => text),
        ),
  ),

  search_history: saying(
    z.object({
      hits: z.array(z.object({session: z.string(), role: z.string(), at: z.string(), snippet: z.string()})),
      more: z.boolean(),
    }),
    ({hits, more}) =>
      hits.length === 0
        ? 'I found nothing in our conversations.'
        : listed('I found:', [
            ...hits.map(({session, role, at, snippet}) => `${at.slice(0, 10)} ${role} in "${session}": ${snippet}`),
            ...(more ? ['and more'] : []),
          ]),
  ),

  list: saying(
    z.object({
      folder: z.string(),
      entries: z.array(z.object({name: z.string(), type: z.string(), size: z.number().optional()})),
      more: z.string().optional(),
    }),
    ({folder, entries, more}) =>
      entries.length === 0
        ? `The folder ${folder} is empty.`
        : listed(`In ${folder}:`, [...entries.map(entryLine), ...(more ? [`(${more})`] : [])]),
  ),

  find: saying(z.object({files: z.array(z.string()), more: z.string().optional()}), ({files, more}) =>
    files.length === 0 ? 'I found no such file.' : listed('I found:', [...files, ...(more ? [`(${more})`] : [])]),
  ),
}

function saying<Value>(shape: z.ZodType<Value>, say: (value: Value) => string): (value: unknown) => string | undefined {
  return (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? say(parsed.data) : undefined
  }
}

function entryLine({name, type, size}: {name: string; type: string; size?: number | undefined}): string {
  if (type === 'folder') return `${name}/`
  return size === undefined ? `${name} (${type})` : `${name} (${size} bytes)`
}

const listed = (title: string, lines: readonly string[]): string => [title, ...lines.map((line) => `- ${line}`)].join('\n')
