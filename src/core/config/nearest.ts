/** The candidate a person most likely meant, or undefined when none is close: one slip in short words, two in longer ones. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = word.length < 5 ? 1 : 2
  let best: {candidate: string; distance: number} | undefined
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > allowed) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = {candidate, distance}
  }
  return best?.candidate
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({length: to.length + 1}, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
