import type {ToolModelMessage} from 'ai'
import {newId} from '../ids.js'
import {checkInput, runTool} from '../tools/run-tool.js'
import type {Risk, Tool, ToolContext} from '../tools/tool.js'
import type {Run} from './run.js'
import {Stop} from './stop.js'
import type {FinishedCall, ToolCall, ToolOutput} from './tool-call.js'

/** Channels on which nobody watches. */
const UNATTENDED = new Set(['cron', 'heartbeat', 'gateway'])

/**
 * Brings the calls of the newest step as far as they go: asks where the owner must be asked, runs the others in the order the
 * model gave them. None overtakes one that waits.
 *
 * @returns the message with all results, or undefined while an approval is missing
 */
export async function runCalls(run: Run): Promise<ToolModelMessage | undefined> {
  const newest = run.calls.at(-1)?.step
  const ofStep = () => run.calls.filter((call) => call.step === newest)
  for (const call of ofStep()) await admit(run, call)
  await reload(run)
  for (const call of ofStep()) {
    if (call.status === 'awaiting') return undefined
    // Still `running` here: begun before a crash, and its tool says that it may run again.
    if (call.status === 'approved' || call.status === 'pending' || call.status === 'running') await execute(run, call)
    if (run.signal.aborted) break
  }
  await reload(run)
  run.signal.throwIfAborted()
  return {role: 'tool', content: ofStep().map(toResult)}
}

/** Decides what may become of a call that has not begun, and of one that was found running after a crash. */
async function admit(run: Run, call: ToolCall): Promise<void> {
  const {app, agent} = run
  if (call.status === 'running') {
    // Whoever ran it is gone, and only the tool can say whether it is safe to run again.
    if (!app.tools.find(agent, call.name)?.idempotent) await end(run, call, 'interrupted', UNKNOWN_OUTCOME)
    return
  }
  if (call.status !== 'pending') return
  const tool = app.tools.find(agent, call.name)
  if (!tool) return end(run, call, 'invalid', `There is no tool ${call.name}.`)
  const checked = checkInput(tool, call.input)
  if (!checked.ok) return end(run, call, 'invalid', checked.message)

  const risk = await tool.risk(checked.input, contextOf(run, call))
  if (risk.level === 'forbidden') return end(run, call, 'denied', `This is not allowed: ${risk.reason}`)
  if (risk.level === 'ask') return ask(run, call, risk)
}

const UNKNOWN_OUTCOME =
  'The service stopped while this ran, so its outcome is unknown. Look whether it took effect before you do it again.'

async function ask(run: Run, call: ToolCall, risk: Extract<Risk, {reason: string}>): Promise<void> {
  const {app, turn} = run
  const {unattended, expireMinutes} = app.config.approvals
  if (unattended === 'deny' && UNATTENDED.has(turn.channel)) {
    return end(run, call, 'denied', `This needs the owner's approval, and nobody is there to give it: ${risk.reason}`)
  }
  const now = app.now()
  await app.store.turns.askFor(turn, {
    id: newId('approval'),
    turnId: turn.id,
    sessionId: turn.sessionId,
    callId: call.id,
    name: call.name,
    input: call.input,
    reason: risk.reason,
    status: 'pending',
    askedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + expireMinutes * 60_000).toISOString(),
  })
}

async function execute(run: Run, call: ToolCall): Promise<void> {
  const {app, agent, turn, signal} = run
  const tool = app.tools.find(agent, call.name) as Tool
  const checked = checkInput(tool, call.input)
  if (!checked.ok) return end(run, call, 'invalid', checked.message)
  await app.store.turns.startCall(turn, call.id, app.now().toISOString())
  const {status, output} = await runTool(tool, checked.input, contextOf(run, call))
  const stoppedByUs = status === 'cancelled' && signal.reason instanceof Stop && signal.reason.why !== 'cancel'
  await finish(
    run,
    call,
    stoppedByUs ? 'interrupted' : status,
    stoppedByUs ? {type: 'error-text', value: UNKNOWN_OUTCOME} : output,
  )
}

const contextOf = ({app, agent, turn, signal}: Run, call: ToolCall): ToolContext => ({app, agent, turn, callId: call.id, signal})

const end = (run: Run, call: ToolCall, status: FinishedCall['status'], value: string) =>
  finish(run, call, status, {type: 'error-text', value})

async function finish({app, turn}: Run, call: ToolCall, status: FinishedCall['status'], output: ToolOutput): Promise<void> {
  await app.store.turns.finishCall(turn, call.id, {status, output}, app.now().toISOString())
}

async function reload(run: Run): Promise<void> {
  run.calls = await run.app.store.turns.calls(run.turn.id)
}

function toResult(call: ToolCall): ToolModelMessage['content'][number] {
  if (!('output' in call)) throw new Error(`Tool call ${call.id} is ${call.status} and has no result.`)
  const output = call.output.type === 'json' ? {type: 'json' as const, value: call.output.value as never} : call.output
  return {type: 'tool-result', toolCallId: call.providerCallId, toolName: call.name, output}
}
