/** A Markdown table; a `|` inside a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export const code = (text: unknown): string => `\`${text}\``

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

export function json(value: unknown): string {
  return `\`\`\`json\n${typeof value === 'string' ? value : compact(value)}\n\`\`\``
}

/** As JSON.stringify with an indent of two, except that what fits a line stays on it. */
export function compact(value: unknown, indent = '', width = 100): string {
  const flat = spaced(value)
  if (flat.length + indent.length <= width || typeof value !== 'object' || value === null) return flat
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Object.entries(value).map(([key, item]) => {
    const label = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `
    return `${inner}${label}${compact(item, inner, width - label.length)}`
  })
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(', ')}}`
}
