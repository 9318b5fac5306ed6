import type {ModelMessage} from 'ai'
import type {FinishedCall, ToolCall, ToolOutput} from '../agent/tool-call.js'
import type {Channel, RunningTurn, Turn, TurnError, TurnStatus} from '../agent/turn.js'
import type {TurnEvent, TurnEventBody} from '../agent/turn-event.js'
import type {Approval} from '../approvals/approval.js'
import type {RequestedCall} from '../models/provider.js'
import type {Session} from '../sessions/session.js'
import type {Usage} from '../usage/usage.js'

/**
 * What the service keeps. Every method is one transaction unless it says otherwise, committed and synced when its promise
 * resolves. Any of them throws SvcError `storage-unavailable` when the disk is full, read-only or locked out.
 */
export interface Store {
  readonly turns: TurnStore
  readonly events: EventStore
  readonly sessions: SessionStore
  readonly approvals: ApprovalStore
  readonly processes: ProcessStore
  readonly state: StateStore
  readonly audit: AuditStore
  readonly logins: LoginStore
  /**
   * Forgets what is older than the owner wants to keep: finished turns with their events, calls and approvals, and used up
   * idempotency keys. Messages, summaries, steps and the audit stay. Asks for little at a time, so that others can write between.
   *
   * @param before turns that finished earlier go
   * @returns how many turns went; ask again until it is 0
   */
  prune(before: string, at: string): Promise<number>
  /** Writes one row. Resolves when the store takes writes, else throws `storage-unavailable`. */
  probe(): Promise<void>
  /** A number that changes when another process has written. Cheap enough to be asked several times a second. */
  dataVersion(): number
  close(): Promise<void>
}

/** A page of a list, newest first. */
export interface Page<Item> {
  items: Item[]
  /** Give it back as `cursor` for the next page; null at the end. */
  nextCursor: string | null
}

export interface PageRequest {
  limit: number
  cursor?: string | undefined
}

export interface NewTurn {
  id: string
  sessionId: string
  agentId: string
  channel: Channel
  model: string
  message: string
  /** For the session, when this is its first turn. */
  title: string
  owner: string
  at: string
  idempotency?: IdempotencyKey | undefined
}

/** A key that never starts a second turn. `scope` separates callers, `bodyHash` tells a repeat from a mistake. */
export interface IdempotencyKey {
  scope: string
  key: string
  bodyHash: string
}

/** Who may write a turn: the process that claimed it, at that takeover. A stale holder's writes throw `LostTurn`. */
export type TurnClaim = Pick<RunningTurn, 'id' | 'sessionId' | 'number' | 'owner' | 'takeovers'>

/** The turn went to another process: stop at once and write nothing. */
export class LostTurn extends Error {
  override readonly name = 'LostTurn'
}

export interface Limits {
  /** Turns that run at the same time in this home. */
  concurrency: number
  /** Turns that wait in this home. */
  queue: number
}

/** How a turn ends. `partial` is the text its user has already seen of a reply that did not end. */
export type TurnEnd =
  | {status: 'completed'; reply: string; messages: ModelMessage[]; step: StepRecord}
  | {status: 'failed' | 'interrupted'; error: TurnError; partial: string}
  | {status: 'cancelled'; partial: string}

export interface StepRecord {
  step: number
  model: string
  usage: Usage
  durationMs: number
  firstTokenMs: number | null
}

/** What a model step said: messages for the history, and the calls it asked for. */
export interface StepReply {
  messages: ModelMessage[]
  calls: RequestedCall[]
}

export interface TurnStore {
  /**
   * Writes session (when new), user message and turn in one transaction, and claims the turn at once when its session and a
   * worker are free. A repeated idempotency key answers the first turn, `replayed`.
   * @throws SvcError `busy` the queue is full; `conflict` the key was used with another body; `invalid-input` the session
   * belongs to another agent or to a channel
   */
  accept(turn: NewTurn, limits: Limits): Promise<{turn: Turn; replayed: boolean}>
  /**
   * The turn that the key named first, if it is not older than a day.
   * @throws SvcError `conflict` the key was used with another body
   */
  findRepeated(idempotency: IdempotencyKey, at: string): Promise<Turn | undefined>
  get(id: string): Promise<Turn | undefined>
  list(query: PageRequest & {sessionId?: string | undefined; status?: TurnStatus | undefined}): Promise<Page<Turn>>
  /** Counts of this moment, for `/status` and the queue limit. */
  counts(): Promise<{running: number; queued: number; awaiting: number}>
  /** Claims the oldest turn of `owner` that may run: queued or answered by its owner, its session and a worker free. */
  claimNext(owner: string, limits: Limits, at: string): Promise<RunningTurn | undefined>
  /** Whether `owner` has turns that wait for their session or a worker, and not for an answer of the agent's owner. */
  hasWaiting(owner: string): Promise<boolean>

  /** Adds what the step said and journals the calls it asked for, in one transaction. @param events its last deltas */
  addStep(claim: TurnClaim, step: StepRecord, reply: StepReply, events: TurnEventBody[], at: string): Promise<ToolCall[]>
  /** Records a model call that is no step of the conversation, such as a summary. */
  addCost(claim: TurnClaim, step: StepRecord, at: string): Promise<void>
  calls(turnId: string): Promise<ToolCall[]>
  /** On disk before the side effect begins. */
  startCall(claim: TurnClaim, callId: string, at: string): Promise<void>
  /** Ends the call and tells so, in one transaction. */
  finishCall(
    claim: TurnClaim,
    callId: string,
    end: {status: FinishedCall['status']; output: ToolOutput},
    at: string,
  ): Promise<void>
  /** Puts the results of a step whose calls have all ended into the history. */
  addToolResults(claim: TurnClaim, message: ModelMessage, at: string): Promise<void>
  /** The call waits for its owner: approval row, event and call state in one transaction. */
  askFor(claim: TurnClaim, approval: Extract<Approval, {status: 'pending'}>): Promise<void>
  /**
   * Lets go of a turn that waits for approvals; it keeps its place in its session but occupies no worker.
   * @returns false when somebody asked to stop it meanwhile: it is not let go of, since nobody would end it
   */
  park(claim: TurnClaim): Promise<boolean>
  /** Final state, last messages, usage, audit and last event in one transaction. @param events the last deltas before the end */
  finish(claim: TurnClaim, end: TurnEnd, events: TurnEventBody[], at: string): Promise<Turn>
  /** What the turn's steps have cost so far. */
  usage(turnId: string): Promise<Usage>
  /** US dollars spent in this home since `at`, as far as prices are known. */
  spentSince(at: string): Promise<number>

  /** Whether somebody asked to stop the turn. */
  cancelRequested(turnId: string): Promise<boolean>
  /**
   * Asks to stop it; a turn that nobody runs ends right here.
   * @throws SvcError `not-found`; `conflict` it is finished
   */
  requestCancel(turnId: string, by: string, at: string): Promise<Turn>
  /** Gives every unfinished turn of `owner` back, for the next process to take over. */
  release(owner: string): Promise<void>
  /** Owners of unfinished turns, null for turns nobody owns. */
  ownersOfUnfinished(): Promise<(string | null)[]>
  /**
   * Moves the unfinished turns of dead owners to `owner`. Running ones become queued again and count a takeover; a turn whose
   * third taker died as well ends as `interrupted`. What its running calls mean is for the engine to say.
   * @returns how many turns moved
   */
  takeOver(deadOwners: (string | null)[], owner: string, at: string): Promise<number>
}

export interface EventStore {
  /**
   * Adds events that change no state, such as deltas: not synced to disk, so a power cut may lose them, a crash of the process not.
   * @throws LostTurn
   */
  append(claim: TurnClaim, events: TurnEventBody[], at: string): Promise<void>
  ofTurn(turnId: string, afterSeq: number, limit: number): Promise<TurnEvent[]>
  /** Of all turns, for the stream of everything. */
  since(afterId: number, limit: number): Promise<TurnEvent[]>
  lastId(): Promise<number>
  /** Called after every commit of this process that changed the turn; cheap, must not throw. */
  onAppend(listener: (turnId: string) => void): () => void
}

/** One message of a session's history, in the form the model reads. */
export interface StoredMessage {
  id: number
  /** The reply broke off here; the model is told so. */
  partial: boolean
  turnId: string
  turnNumber: number
  message: ModelMessage
  at: string
}

export interface SearchHit {
  sessionId: string
  sessionTitle: string | null
  turnId: string
  messageId: number
  role: string
  /** The text around the words, the words between `[` and `]`. */
  snippet: string
  at: string
}

export interface SessionStore {
  get(id: string): Promise<Session | undefined>
  list(query: PageRequest): Promise<Page<Session>>
  /**
   * What the model may read in this turn: the newest summary, and all messages after it up to and including turn `upTo`,
   * in the order of the turns.
   */
  history(sessionId: string, upTo: number): Promise<{summary: string | null; messages: StoredMessage[]}>
  /** Adds a summary of everything up to and including turn `upTo`; the originals stay. */
  addSummary(sessionId: string, upTo: number, text: string, at: string): Promise<void>
  messages(sessionId: string, page: PageRequest): Promise<Page<StoredMessage>>
  setModel(sessionId: string, model: string | null): Promise<void>
  /** All words, phrases in quotes, no operators; newest first. */
  search(query: string, page: PageRequest & {agentId?: string | undefined}): Promise<Page<SearchHit>>
  /** The newest message of the home, for `/status`. */
  lastMessage(): Promise<{role: string; channel: Channel; sessionId: string; text: string; at: string} | null>
}

export interface ApprovalStore {
  get(id: string): Promise<Approval | undefined>
  list(query: PageRequest & {status?: Approval['status'] | undefined}): Promise<Page<Approval>>
  /**
   * Compare-and-set: the row must be pending and unexpired. Moves the tool call and tells so in the same transaction.
   * @returns whether it did
   */
  settle(settled: Exclude<Approval, {status: 'pending'}>): Promise<boolean>
  /** Expires what is due. @returns the turns that may go on */
  expire(at: string): Promise<string[]>
}

/** A running svc, so that others can tell whether it lives. */
export interface ProcessRecord {
  id: string
  pid: number
  /** Start time of the process as the system tells it, so that a reused pid is not taken for it. */
  startTime: string
  /** The machine, boot and process namespace in which `pid` means something. */
  host: string
  kind: 'serve' | 'command'
  /** For other machines: dead when this has passed. */
  leaseUntil: string
}

export interface ProcessStore {
  /**
   * @param isAlive asked, for `kind: serve`, about every other server
   * @throws SvcError `conflict` another server runs in this home
   */
  register(record: ProcessRecord, isAlive: (other: ProcessRecord) => boolean): Promise<void>
  get(id: string): Promise<ProcessRecord | undefined>
  list(): Promise<ProcessRecord[]>
  renew(id: string, leaseUntil: string): Promise<void>
  remove(id: string): Promise<void>
}

/** Small values that belong to the home and not to the configuration, such as the active model. */
export interface StateStore {
  get(key: string): Promise<string | undefined>
  /** @param by who did it, for the audit */
  set(key: string, value: string | null, by: string, at: string): Promise<void>
}

export interface AuditEntry {
  seq: number
  at: string
  /** Who: `cli`, `gateway`, `dashboard`, `agent:<id>`, `system`. */
  actor: string
  /** What, as a dotted word: `turn.accepted`, `model.switched`. */
  action: string
  /** On what: an id. */
  subject: string
  detail: Record<string, unknown>
  /** SHA-256 over the entry before and this one, hex. */
  hash: string
}

export interface AuditStore {
  append(entry: Omit<AuditEntry, 'seq' | 'hash'>): Promise<void>
  list(page: PageRequest): Promise<Page<AuditEntry>>
}

/** Failed logins, kept so that a restart does not forgive them. */
export interface LoginStore {
  /** @returns how many failures this address has had since `since`, this one included */
  addFailure(address: string, at: string, since: string): Promise<number>
  /** Until when the address is locked; undefined when it is not. */
  lockedUntil(address: string, at: string): Promise<string | undefined>
  lock(address: string, until: string): Promise<void>
  forgive(address: string): Promise<void>
}
