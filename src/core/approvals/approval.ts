interface ApprovalBase {
  id: string
  turnId: string
  sessionId: string
  callId: string
  /** The tool's name. */
  name: string
  input: unknown
  /** Why the owner is asked. */
  reason: string
  askedAt: string
  expiresAt: string
}

/** One question to the owner. The first answer counts and is final. */
export type Approval =
  | (ApprovalBase & {status: 'pending'})
  | (ApprovalBase & {status: 'approved' | 'denied'; decidedAt: string; decidedBy: string})
  | (ApprovalBase & {status: 'expired'; decidedAt: string})
