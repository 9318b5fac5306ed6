import {oneLine} from './plain.js'

const longest = 100

/** A tool call in a line: `read(path: "notes.txt")`. */
export function callText(name: string, input: unknown): string {
  const args =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? Object.entries(input).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      : [JSON.stringify(input) ?? '']
  const text = oneLine(`${name}(${args.join(', ')})`)
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
