import type {Channel} from '../agent/turn.js'

/** One conversation. */
export interface Session {
  id: string
  agentId: string
  /** The channel that opened it. */
  channel: Channel
  /** The first words of its first message until the owner writes another. */
  title: string | null
  /** The model its owner chose for it, as written; null leaves it to the home. */
  model: string | null
  createdAt: string
  updatedAt: string
}
