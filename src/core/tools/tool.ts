import type {z} from 'zod'
import type {Agent} from '../agent/agent.js'
import type {Turn} from '../agent/turn.js'
import type {App} from '../app.js'

/** Whether a call may run: `safe` and `write` run, `ask` waits for the owner, `forbidden` never runs. */
export type Risk =
  | {level: 'safe' | 'write'}
  /** @property reason what the owner reads beside the question */
  | {level: 'ask' | 'forbidden'; reason: string}

export interface ToolContext {
  app: App
  agent: Agent
  turn: Turn
  callId: string
  /** Aborts on cancel and on the tool's own time limit. */
  signal: AbortSignal
}

/** What an agent can do. The engine checks the input, asks `risk`, journals, and only then calls `run`. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  name: string
  /** For the model: what it does and when to use it, one or two sentences. */
  description: string
  input: Input
  risk(input: z.output<Input>, context: ToolContext): Risk | Promise<Risk>
  /** Whether a call of unknown outcome may simply run again after a crash. */
  idempotent: boolean
  /** Milliseconds; 60 s when it is not said. */
  timeoutMs?: number
  /**
   * @returns text, or a value that becomes JSON
   * @throws Error whose message the model reads; SvcError likewise
   */
  run(input: z.output<Input>, context: ToolContext): Promise<unknown>
}

/** Identity function; it only lets TypeScript infer `run`'s input from the schema next to it. */
export function tool<Input extends z.ZodType>(spec: Tool<Input>): Tool<Input> {
  return spec
}
