/**
 * The beginning of `text` that fits into `maxBytes` of UTF-8, and never half a character.
 * @returns the text itself when it fits
 */
export function truncateBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  // `stream` makes the decoder hold back an unfinished character instead of replacing it.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), {stream: true})
}

/** 2048 → `2 KB`, for people. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 0), units.length - 1)
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`
}
