/** Tokens and money of one or more model steps. */
export interface Usage {
  /** All input tokens, the cached ones included. */
  inputTokens: number
  outputTokens: number
  /** The part of `inputTokens` that the provider read from its cache. */
  cachedTokens: number
  /** US dollars; null when the model's price is not known. */
  costUsd: number | null
}

export const noUsage: Usage = {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0}

/** The sum; its cost is unknown as soon as one part's is. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    costUsd: left.costUsd === null || right.costUsd === null ? null : left.costUsd + right.costUsd,
  }
}
