import type {Usage} from '../core/usage/usage.js'

/** `1204 tokens in, 56 out · $0.0021`; empty when the model counts none. */
export function usageText({inputTokens, outputTokens, costUsd}: Usage): string {
  if (inputTokens + outputTokens === 0) return ''
  const cost = costUsd ? ` · $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}` : ''
  return `${inputTokens} tokens in, ${outputTokens} out${cost}`
}
