/** A configured agent, its defaults filled in. */
export interface Agent {
  id: string
  /** What it calls itself. */
  name: string
  /** The model it prefers, as written; null leaves it to the home. */
  model: string | null
  /** Models to try, in order, when a provider fails. */
  fallbacks: string[]
  /** The owner's words at the start of the system prompt. */
  instructions: string
  /** Names of the tools it may use; null means all. An empty list sends none. */
  tools: string[] | null
  thinking: 'off' | 'low' | 'medium' | 'high' | undefined
  maxOutputTokens: number
}
