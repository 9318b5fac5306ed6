import type {ModelMessage} from 'ai'
import {SvcError} from '../errors.js'
import {ProviderFailure} from '../models/provider.js'
import {estimateTokens} from '../sessions/tokens.js'
import type {StoredMessage} from '../store/store.js'
import {callModel} from './call-model.js'
import {toModelHistory} from './history.js'
import type {Run} from './run.js'

/** Assumed when the catalogue does not know the model. */
const USUAL_WINDOW = 128_000

/** Room for what the estimate misses. */
const MARGIN = 0.9

/** The newest turns stay as they are up to this part of the room; the rest becomes a summary. */
const KEPT_PART = 0.5

const LEFT_OUT = 'The older part of this conversation was left out here; search_history finds what was said.'

const SUMMARY_PROMPT = `Write a summary of this conversation for the assistant who will go on with it without seeing it.
Keep every fact, name, number, decision, open task and wish of the user. Write plain sentences, at most 400 words. Output only the summary.`

/**
 * Makes the history fit the model's window: older turns become a summary that the model writes itself. The originals stay in
 * the store, for people and for the search.
 *
 * @param force when the provider said that it does not fit, whatever the estimate says
 * @throws SvcError `context-too-long` the newest message alone is too long
 */
export async function fitHistory(run: Run, {force = false} = {}): Promise<void> {
  const room = await roomForMessages(run)
  if (!force && estimateTokens(run.messages) <= room) return

  const {app, turn} = run
  const {summary, messages} = await app.store.sessions.history(turn.sessionId, turn.number)
  const upTo = lastTurnToSummarise(messages, room * KEPT_PART, turn.number)
  if (upTo !== undefined) {
    const older = toModelHistory({summary, messages: messages.filter((stored) => stored.turnNumber <= upTo)})
    const newer = messages.filter((stored) => stored.turnNumber > upTo)
    const text = await summariseIfPossible(run, older, room)
    if (text !== undefined) {
      await app.store.sessions.addSummary(turn.sessionId, upTo, text, app.now().toISOString())
      app.log.info('Compacted a session.', {session: turn.sessionId, upTo})
    }
    run.messages = toModelHistory({summary: text ?? LEFT_OUT, messages: newer, notes: run.notes})
  }
  if (estimateTokens(run.messages) > room) shortenToolOutputs(run, room)
  if (estimateTokens(run.messages) <= room) return
  throw new SvcError('context-too-long', `The message does not fit ${run.model.id}, even alone.`, {
    hint: 'Send a shorter message, or put the text into a file and ask about it.',
  })
}

/** Tokens that are left for messages after system prompt, tools and reply. */
async function roomForMessages({app, agent, model, system, tools}: Run): Promise<number> {
  const facts = await app.models.facts(model)
  const window = facts.contextWindow ?? USUAL_WINDOW
  const reply = Math.min(agent.maxOutputTokens, facts.maxOutput ?? Infinity, window / 4)
  return (window - reply - estimateTokens(system) - estimateTokens(tools)) * MARGIN
}

/** The newest turn that no longer fits `room`, counted from the end; never the running one. */
function lastTurnToSummarise(messages: StoredMessage[], room: number, running: number): number | undefined {
  let used = 0
  for (const {turnNumber, message} of messages.toReversed()) {
    used += estimateTokens(message)
    if (used > room && turnNumber < running) return turnNumber
  }
  // Everything fits the kept part but the running turn is large: summarise all before it.
  return messages.findLast((stored) => stored.turnNumber < running)?.turnNumber
}

/** A model that refuses to write the summary, for its content say, must not end the conversation for good. */
async function summariseIfPossible(run: Run, older: ModelMessage[], room: number): Promise<string | undefined> {
  try {
    return await summarise(run, older, room)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    run.app.log.warn('A session could not be summarised; the model goes on without its older part.', {
      session: run.turn.sessionId,
      error: error.message,
    })
    return undefined
  }
}

/** Piece by piece, since what is to be summarised may itself be longer than the window. */
async function summarise(run: Run, messages: ModelMessage[], room: number): Promise<string> {
  let summary = ''
  for (const piece of pieces(messages.map(asText).join('\n'), room * KEPT_PART)) {
    const content = summary ? `Summary so far:\n${summary}\n\nWhat came next:\n${piece}` : piece
    summary = await ask(run, content)
  }
  return summary
}

async function ask(run: Run, content: string): Promise<string> {
  const {app, turn} = run
  const result = await callModel(run, {system: SUMMARY_PROMPT, messages: [{role: 'user', content}], tools: [], silent: true})
  await app.store.turns.addCost(turn, {...result, step: run.step}, app.now().toISOString())
  return result.text
}

function asText(message: ModelMessage): string {
  if (typeof message.content === 'string') return `${message.role}: ${message.content}`
  return message.content
    .map((part) => {
      if (part.type === 'text') return `${message.role}: ${part.text}`
      if (part.type === 'tool-call') return `assistant calls ${part.toolName} with ${JSON.stringify(part.input)}`
      if (part.type === 'tool-result') return cut(`${part.toolName} returns ${JSON.stringify(part.output)}`, 0, 2000)
      return ''
    })
    .filter(Boolean)
    .join('\n')
}

function* pieces(text: string, tokens: number): Generator<string> {
  const length = Math.max(1000, Math.floor(tokens * 2))
  for (let start = 0; start < text.length; start += length) yield cut(text, start, start + length)
}

/** Providers refuse a request with half a character in it. */
const cut = (text: string, start: number, end: number): string => text.slice(start, end).toWellFormed()

/** The last resort: what tools returned in this turn is cut, in the request only. */
function shortenToolOutputs(run: Run, room: number): void {
  const excess = estimateTokens(run.messages) / room
  run.messages = run.messages.map((message) => {
    if (message.role !== 'tool') return message
    return {
      ...message,
      content: message.content.map((part) => {
        if (part.type !== 'tool-result') return part
        const text = part.output.type === 'text' ? part.output.value : JSON.stringify(part.output)
        const kept = Math.floor(text.length / (excess * 1.5))
        return text.length <= 1000
          ? part
          : {...part, output: {type: 'text', value: `${cut(text, 0, kept)}\n[Cut here: too long for the model.]`}}
      }),
    }
  })
}
