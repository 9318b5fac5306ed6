/** @param part 0.5 is the median, 0.99 what one in a hundred exceeds */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

interface Spread {
  value: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return {value: median(values), min: Math.min(...values), max: Math.max(...values)}
}

/** The ratio of the medians; its spread is that of the neighbours, each taken within the same moment. */
export function ratioOf(values: readonly number[], baseline: readonly number[]): Spread {
  const pairs = values.map((value, index) => value / (baseline[index] ?? Number.NaN))
  return {value: median(values) / median(baseline), min: Math.min(...pairs), max: Math.max(...pairs)}
}

export function differenceOf(values: readonly number[], baseline: readonly number[]): Spread {
  const pairs = values.map((value, index) => value - (baseline[index] ?? Number.NaN))
  return {value: median(values) - median(baseline), min: quantile(pairs, 0.05), max: quantile(pairs, 0.95)}
}

/** Milliseconds that `work` took. */
export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export const range = (count: number): number[] => Array.from({length: count}, (_, index) => index)
