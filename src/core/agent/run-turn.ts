import type {App} from '../app.js'
import {findAgent} from '../config/agents.js'
import {SvcError} from '../errors.js'
import {newId} from '../ids.js'
import {readMemory} from '../memory/memory.js'
import {ProviderFailure} from '../models/provider.js'
import {LostTurn} from '../store/store.js'
import {callModel} from './call-model.js'
import {fitHistory} from './compact.js'
import {Deltas} from './deltas.js'
import {callIdsOf, toModelHistory} from './history.js'
import {refuseRepetition} from './limits.js'
import {systemPrompt} from './prompt.js'
import type {Run, StepResult} from './run.js'
import {runCalls} from './run-calls.js'
import {Stop} from './stop.js'
import type {RunningTurn, TurnError} from './turn.js'

/**
 * Runs a claimed turn until it ends, waits for an approval, or this process has to let go of it. Where it goes on is read from
 * the store alone, so that any process can go on with it at any point.
 *
 * @param signal aborts with a `Stop`
 * @throws SvcError `storage-unavailable`: nothing was decided; run it again when the store is back
 */
export async function runTurn(app: App, turn: RunningTurn, signal: AbortSignal): Promise<void> {
  const deltas = new Deltas((events) => writeDeltas(app, turn, events))
  try {
    const run = await resume(app, turn, signal, deltas)
    for (;;) {
      if (callIdsOf(run.messages.at(-1)).length > 0) {
        refuseRepetition(run)
        const results = await runCalls(run)
        if (!results) {
          if (await app.store.turns.park(turn)) return
          throw new Stop('cancel')
        }
        await app.store.turns.addToolResults(turn, results, app.now().toISOString())
        run.messages.push(results)
      }
      const result = await makeStep(run)
      if (result.calls.length === 0) return await complete(run, result)
      await addStep(run, result)
    }
  } catch (error) {
    await end(app, turn, deltas, signal.aborted ? signal.reason : error)
  }
}

async function resume(app: App, turn: RunningTurn, signal: AbortSignal, deltas: Deltas): Promise<Run> {
  const agent = findAgent(app.config, turn.agentId)
  const history = await app.store.sessions.history(turn.sessionId, turn.number)
  const notes = await readMemory(app.home, agent.id)
  const calls = await app.store.turns.calls(turn.id)
  if (turn.takeovers > 0) await tellTakeover(app, turn)
  return {
    app,
    turn,
    agent,
    signal,
    deltas,
    system: systemPrompt({agent, now: app.now()}),
    tools: app.tools.forAgent(agent),
    model: app.models.resolve(turn.model),
    fallbacks: [...agent.fallbacks],
    notes,
    messages: toModelHistory({...history, notes}),
    calls,
    step: (calls.at(-1)?.step ?? 0) + 1,
  }
}

/** The step that was under way is made again: whoever shows its text must forget it. */
async function tellTakeover(app: App, turn: RunningTurn): Promise<void> {
  const reason = 'The process that ran this turn stopped.'
  await app.store.events.append(
    turn,
    [{type: 'turn.retrying', attempt: turn.takeovers + 1, reason, model: turn.model, delayMs: 0}, {type: 'text.reset'}],
    app.now().toISOString(),
  )
}

/** One model call over a history that fits. */
async function makeStep(run: Run): Promise<StepResult> {
  await fitHistory(run)
  try {
    return await callModel(run, promptOf(run))
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.code !== 'context-too-long') throw error
    await fitHistory(run, {force: true})
    return await callModel(run, promptOf(run))
  }
}

const promptOf = ({system, messages, tools}: Run) => ({system, messages, tools})

async function addStep(run: Run, result: StepResult): Promise<void> {
  const {app, turn, deltas} = run
  const events = await deltas.take()
  const step = {...result, step: run.step}
  run.calls = await app.store.turns.addStep(turn, step, result, events, app.now().toISOString())
  run.messages.push(...result.messages)
  run.step++
}

async function complete({app, turn, deltas, step}: Run, result: StepResult): Promise<void> {
  const events = await deltas.take()
  const end = {status: 'completed' as const, reply: result.text, messages: result.messages, step: {...result, step}}
  await app.store.turns.finish(turn, end, events, app.now().toISOString())
  app.log.info('A turn completed.', {turn: turn.id, session: turn.sessionId, model: result.model, steps: step})
}

/** Gives the turn its outcome, unless it is for another process, or for later, to decide. */
async function end(app: App, turn: RunningTurn, deltas: Deltas, error: unknown): Promise<void> {
  const partial = deltas.text
  const events = await deltas.take()
  const at = app.now().toISOString()
  if (error instanceof LostTurn) return
  if (error instanceof SvcError && error.code === 'storage-unavailable') throw error
  if (error instanceof Stop && (error.why === 'shutdown' || error.why === 'lost')) return
  if (error instanceof Stop && error.why === 'cancel') {
    await app.store.turns.finish(turn, {status: 'cancelled', partial}, events, at)
    app.log.info('A turn was cancelled.', {turn: turn.id})
    return
  }
  const described = describe(app, turn, error)
  await app.store.turns.finish(turn, {status: 'failed', error: described, partial}, events, at)
  app.log.warn('A turn failed.', {turn: turn.id, ...described})
}

function describe(app: App, turn: RunningTurn, error: unknown): TurnError {
  if (error instanceof Stop) {
    const minutes = app.config.budgets.turnMinutes
    return {
      code: 'budget-exceeded',
      detail: `The turn ran longer than ${minutes} minutes.`,
      hint: 'Raise budgets.turnMinutes if you want more.',
    }
  }
  if (error instanceof SvcError) return {code: error.code, detail: error.message, ...(error.hint && {hint: error.hint})}
  const reference = newId('bug')
  app.log.error('A turn failed because of a bug.', {turn: turn.id, reference, error})
  return {
    code: 'internal',
    detail: `Something is wrong in svc itself; the log has the details under ${reference}.`,
    hint: 'See logs/svc.log in the service home.',
  }
}

/** Losing deltas is no reason to lose the reply. */
async function writeDeltas(app: App, turn: RunningTurn, events: Parameters<App['store']['events']['append']>[1]): Promise<void> {
  try {
    await app.store.events.append(turn, events, app.now().toISOString())
  } catch (error) {
    if (!(error instanceof LostTurn)) app.log.warn('Some text could not be shown while it arrived.', {turn: turn.id, error})
  }
}
