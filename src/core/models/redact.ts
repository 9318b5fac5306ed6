/** Shorter common runs than this are words, not pieces of a key. */
const shortestPiece = 6

/**
 * The text without control characters, without any piece of the secrets and without what providers print of a key
 * (`sk-abc****wxyz`), cut at `limit` characters.
 */
export function redact(text: string, secrets: readonly string[], limit = 300): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  const hidden = secrets.reduce(withoutPiecesOf, plain).replace(/[^\s"'(:=]*\*{3,}[^\s"',.)]*/g, '[REDACTED]')
  return hidden.length > limit ? `${hidden.slice(0, limit - 1)}…` : hidden
}

function withoutPiecesOf(text: string, secret: string): string {
  if (secret.length < shortestPiece) return secret === '' ? text : text.replaceAll(secret, '[REDACTED]')
  const pieces = new Set<string>()
  for (let at = 0; at + shortestPiece <= secret.length; at++) pieces.add(secret.slice(at, at + shortestPiece))

  let result = ''
  let at = 0
  while (at < text.length) {
    const end = endOfPiece(text, at, pieces)
    result += end > at ? '[REDACTED]' : text[at]
    at = Math.max(end, at + 1)
  }
  return result
}

/** Where a run of text that also stands in the secret ends; `at` itself when none begins there. */
function endOfPiece(text: string, at: number, pieces: ReadonlySet<string>): number {
  let from = at
  while (pieces.has(text.slice(from, from + shortestPiece))) from++
  return from === at ? at : from + shortestPiece - 1
}
