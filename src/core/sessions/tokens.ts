/**
 * A cautious estimate of the tokens in a value: 3.5 bytes of JSON each. English text has about 4 characters a token; other
 * scripts have more bytes a character and fewer characters a token, so that bytes serve both.
 */
export function estimateTokens(value: unknown): number {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return Math.ceil(Buffer.byteLength(text) / 3.5)
}
