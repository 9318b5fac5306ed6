/** What a tool gave back, in the form that goes into the history (the `output` of the AI SDK's tool results). */
export type ToolOutput = {type: 'text'; value: string} | {type: 'json'; value: unknown} | {type: 'error-text'; value: string}

interface CallBase {
  /** The journal's id; the provider's own id may repeat between turns. */
  id: string
  turnId: string
  /** The model step that asked for it, from 1. */
  step: number
  /** The id by which the model provider knows it. */
  providerCallId: string
  name: string
  input: unknown
}

/**
 * One tool call in the journal. `running` is on disk before the side effect begins, so a call that is found `running` by the
 * next owner of its turn has an unknown outcome and becomes `interrupted`.
 */
export type ToolCall =
  | (CallBase & {status: 'pending' | 'approved'})
  | (CallBase & {status: 'awaiting'; approvalId: string})
  | (CallBase & {status: 'running'; startedAt: string})
  | (CallBase & {status: ToolCallEnd; output: ToolOutput; finishedAt: string})

export type ToolCallEnd = 'done' | 'failed' | 'timeout' | 'cancelled' | 'interrupted' | 'denied' | 'expired' | 'invalid'
export type ToolCallStatus = ToolCall['status']
export type FinishedCall = Extract<ToolCall, {finishedAt: string}>
