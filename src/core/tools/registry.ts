import type {Agent} from '../agent/agent.js'
import type {ToolDeclaration} from '../models/provider.js'
import type {Tool} from './tool.js'

/** The tools there are, and which of them an agent may use. */
export interface ToolRegistry {
  /** In a fixed order, so that the provider's prompt cache holds. */
  forAgent(agent: Agent): ToolDeclaration[]
  /** The tool when it exists and the agent may use it. */
  find(agent: Agent, name: string): Tool | undefined
}
