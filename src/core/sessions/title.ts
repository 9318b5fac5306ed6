const LONGEST = 60

/** A session's title from its first message, without asking a model: the first line that says something, cut at a word. */
export function titleOf(message: string): string {
  const line =
    message
      .split('\n')
      .map((line) => line.replace(/[\p{Cc}\p{Cf}]/gu, '').trim())
      .find((line) => /[\p{L}\p{N}]/u.test(line)) ?? message.trim()
  const plain = line.replace(/^[#>*\-\s]+/, '').replace(/\s+/g, ' ')
  if (plain.length <= LONGEST) return plain
  const cut = plain.slice(0, LONGEST)
  const lastSpace = cut.lastIndexOf(' ')
  return `${cut.slice(0, lastSpace > LONGEST / 2 ? lastSpace : LONGEST).trimEnd()}…`
}
