import type {Hook} from '@oclif/core'
import {SvcError} from '../core/errors.js'

/** Names the nearest command instead of asking whether it was meant: a script must never wait for an answer. */
const commandNotFound: Hook.CommandNotFound = async ({id, config}) => {
  const typed = id.replaceAll(':', ' ')
  const known = [...config.commandIDs, ...config.topics.map(({name}) => name)].map((name) => name.replaceAll(':', ' '))
  const near = nearest(typed, known)
  throw new SvcError('invalid-input', `${config.bin} has no command "${typed}".`, {hint: `${config.bin} ${near ?? '--help'}`})
}

export default commandNotFound

/** The candidate with the fewest typing mistakes, if there are few enough to mean it; `cron list` sooner than `cron`. */
export function nearest(typed: string, candidates: string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => {
      // What follows the command is its argument: `modle gpt5.6` is compared as `modle`.
      const start = typed.split(' ').slice(0, words(candidate)).join(' ')
      return {candidate, mistakes: distance(start, candidate)}
    })
    .filter(({candidate, mistakes}) => mistakes <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => words(b.candidate) - words(a.candidate) || a.mistakes - b.mistakes)
  return ranked[0]?.candidate
}

const words = (text: string): number => text.split(' ').length

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = [Array.from({length: b.length + 1}, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(rows, i - 1, j - 1) + (same ? 0 : 1)
      row[j] = Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped ? at(rows, i - 2, j - 2) + 1 : Infinity)
    }
    rows.push(row)
  }
  return at(rows, a.length, b.length)
}

function at(rows: number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0
}
