import type {ModelMessage} from 'ai'
import type {App} from '../app.js'
import type {ResolvedModel} from '../models/models.js'
import type {RequestedCall, ToolDeclaration} from '../models/provider.js'
import type {StepRecord} from '../store/store.js'
import type {Agent} from './agent.js'
import type {Deltas} from './deltas.js'
import type {ToolCall} from './tool-call.js'
import type {RunningTurn} from './turn.js'

/** One turn while this process runs it. */
export interface Run {
  readonly app: App
  readonly turn: RunningTurn
  readonly agent: Agent
  /** Aborts with a `Stop`. */
  readonly signal: AbortSignal
  readonly deltas: Deltas
  readonly system: string
  /** Becomes empty when the model turns out to take no tools. */
  tools: ToolDeclaration[]
  /** The one in use: a fallback stays in use for the rest of the turn. */
  model: ResolvedModel
  /** Those to try after it, in order. */
  fallbacks: string[]
  /** The agent's memory as it was when the turn began. */
  readonly notes: string
  messages: ModelMessage[]
  /** Of all steps so far, in order. */
  calls: ToolCall[]
  /** The next model step, from 1. */
  step: number
}

/** The proper end of a model call. */
export interface StepResult extends Pick<StepRecord, 'model' | 'usage' | 'durationMs' | 'firstTokenMs'> {
  messages: ModelMessage[]
  calls: RequestedCall[]
  text: string
}
