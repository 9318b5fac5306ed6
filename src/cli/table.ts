import {styleText} from 'node:util'
import {oneLine} from './plain.js'

export type Cell = string | number | boolean | Date | null | undefined

/** Heading → what stands under it, in the order of the columns. */
export type Columns<Row> = Record<string, (row: Row) => Cell>

const gap = 2
const narrowest = 8

/**
 * Rows for a reader or for a program: on a terminal aligned under headings and cut to its width, with local times; else
 * tab-separated without headings, whole, with ISO 8601 times.
 *
 * @param terminal width in columns, or undefined in a pipe
 */
export function formatTable<Row>(rows: readonly Row[], columns: Columns<Row>, terminal: number | undefined): string {
  const values = rows.map((row) => Object.values(columns).map((cell) => cell(row)))
  if (terminal === undefined) return values.map((cells) => `${cells.map(forProgram).join('\t')}\n`).join('')

  const texts = values.map((cells) => cells.map(forReader))
  const headings = Object.keys(columns)
  const widths = narrowed(
    headings.map((heading, column) => Math.max(width(heading), ...texts.map((cells) => width(cells[column] ?? '')))),
    terminal,
  )
  const numeric = headings.map((_, column) => values.length > 0 && values.every((cells) => typeof cells[column] === 'number'))
  const line = (cells: string[]): string =>
    cells
      .map((text, column) => pad(cut(text, widths[column] ?? 0), widths[column] ?? 0, numeric[column] ?? false))
      .join(' '.repeat(gap))
      .trimEnd()
  return [styleText('dim', line(headings)), ...texts.map(line)].map((text) => `${text}\n`).join('')
}

/** A value for a program to read. */
export function forProgram(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  return cell instanceof Date ? cell.toISOString() : oneLine(String(cell))
}

/** A value for a person to read, with the time of the machine; `-` where there is none. */
export function forReader(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return cell instanceof Date ? localTime(cell) : oneLine(String(cell))
}

/** `2026-11-21 14:05` in the time zone of the machine. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}

/** Takes from the widest column until the line fits or every column is narrow. */
function narrowed(wanted: number[], terminal: number): number[] {
  const widths = [...wanted]
  let excess = widths.reduce((sum, next) => sum + next, gap * (widths.length - 1)) - terminal
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) break
    widths[widths.indexOf(widest)] = widest - 1
    excess -= 1
  }
  return widths
}

function cut(text: string, limit: number): string {
  if (width(text) <= limit) return text
  let kept = ''
  for (const letter of text) {
    if (width(kept + letter) >= limit) break
    kept += letter
  }
  return `${kept}…`
}

function pad(text: string, to: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, to - width(text)))
  return right ? space + text : text + space
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const invisible = /[\p{Mark}\p{Format}]/u

/** Columns that the text takes on a terminal: CJK and emoji take two, combining marks none. */
function width(text: string): number {
  let columns = 0
  for (const letter of text) columns += invisible.test(letter) ? 0 : wide.test(letter) ? 2 : 1
  return columns
}
