/** One figure, with the spread it was taken from and the target it has to reach. */
export interface Row {
  what: string
  value: number
  unit: Unit
  min?: number
  max?: number
  /** Without one the row is there for comparison only. */
  target?: {atMost: number} | {atLeast: number}
  /** What it was measured against, and the plain figures behind a ratio. */
  note?: string
}

type Unit = '×' | 'ms' | 'MB' | 'bytes' | '/s' | 'µs'

/** Undefined for a row without a target. */
export function isMet({value, target}: Row): boolean | undefined {
  if (!target) return undefined
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

export function printRows(rows: Row[]): void {
  const lines = rows.map((row) => [row.what, figure(row.value, row.unit), spread(row), wanted(row), verdict(row), row.note ?? ''])
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines) console.log(`  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
}

export function summary(rows: Row[]): string {
  const judged = rows.filter((row) => row.target)
  const missed = judged.filter((row) => !isMet(row))
  const counted = `${judged.length - missed.length} of ${judged.length} targets met`
  return missed.length === 0 ? `${counted}.` : `${counted}; missed: ${missed.map(({what}) => what).join('; ')}.`
}

function verdict(row: Row): string {
  const met = isMet(row)
  if (met === undefined || !row.target) return ''
  if (met) return 'met'
  const [limit, worse] = 'atMost' in row.target ? [row.target.atMost, row.value] : [row.value, row.target.atLeast]
  return `missed by ${(worse / limit).toFixed(2)}×`
}

function wanted({target, unit}: Row): string {
  if (!target) return ''
  return 'atMost' in target ? `≤ ${figure(target.atMost, unit)}` : `≥ ${figure(target.atLeast, unit)}`
}

function spread({min, max, unit}: Row): string {
  return min === undefined || max === undefined ? '' : `${figure(min, unit)} – ${figure(max, unit)}`
}

function figure(value: number, unit: Unit): string {
  const digits = unit === 'bytes' || Math.abs(value) >= 100 ? 0 : unit === '×' ? 2 : 1
  return unit === '×' || unit === '/s' ? `${value.toFixed(digits)}${unit}` : `${value.toFixed(digits)} ${unit}`
}
