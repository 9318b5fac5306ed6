import type {App} from '../app.js'
import {findAgent} from '../config/agents.js'
import {SvcError} from '../errors.js'
import {newId} from '../ids.js'
import {activeModel, chosenModel} from '../models/active.js'
import type {ResolvedModel} from '../models/models.js'
import {chooseSession} from '../sessions/session-id.js'
import {titleOf} from '../sessions/title.js'
import type {NewTurn} from '../store/store.js'
import type {Agent} from './agent.js'
import type {Channel, Turn} from './turn.js'

/** Characters; a longer text belongs into a file that the agent reads. */
const LONGEST_MESSAGE = 400_000

export interface Incoming {
  text: string
  channel: Channel
  /** Alias, `provider/model` or bare id. Goes before the session's, the agent's and the active model. */
  model?: string | undefined
  agent?: string | undefined
  /** A session id, `new`, or nothing for the agent's main session. */
  session?: string | undefined
  idempotency?: NewTurn['idempotency']
}

/**
 * Takes a message in: once this resolves, user message and turn are on disk and will have exactly one outcome. Every surface
 * comes through here; nothing else starts a turn.
 *
 * @returns the turn, running already or queued; `replayed` when the idempotency key was known
 * @throws SvcError `invalid-input`, `unknown-model`, `provider-not-configured`, `not-found` no such agent, `busy`, `conflict`
 */
export async function receive(app: App, incoming: Incoming): Promise<{turn: Turn; replayed: boolean}> {
  const text = checkText(incoming.text)
  const {idempotency} = incoming
  // First: since then the agent or the alias may have gone, and the answer is there all the same.
  const repeated = idempotency && (await app.store.turns.findRepeated(idempotency, app.now().toISOString()))
  if (repeated) return {turn: repeated, replayed: true}
  const agent = await chooseAgent(app, incoming)
  const sessionId = chooseSession(incoming.session, agent.id, app.config.agents.default)
  const model = await chooseModel(app, incoming.model, sessionId, agent)

  const limits = {concurrency: app.config.gateway.concurrency, queue: app.config.gateway.queue}
  const accepted = await app.store.turns.accept(
    {
      id: newId('turn'),
      sessionId,
      agentId: agent.id,
      channel: incoming.channel,
      model: model.id,
      message: text,
      title: titleOf(text),
      owner: app.engine.owner,
      at: app.now().toISOString(),
      idempotency,
    },
    limits,
  )
  app.engine.start(accepted.turn)
  return accepted
}

function checkText(text: string): string {
  const wrong =
    text.trim() === '' ? 'The message is empty.' : text.length > LONGEST_MESSAGE ? 'The message is too long.' : undefined
  if (!wrong) return text
  throw new SvcError(text.length > LONGEST_MESSAGE ? 'too-large' : 'invalid-input', wrong, {
    hint: text.length > LONGEST_MESSAGE ? `Send at most ${LONGEST_MESSAGE} characters.` : 'Write what you want to say.',
    issues: [{path: ['message'], message: wrong}],
  })
}

/** The agent that is named, else the one the session belongs to, else the default. */
async function chooseAgent(app: App, {agent, session}: Incoming): Promise<Agent> {
  if (agent !== undefined || session === undefined || session === 'new') return findAgent(app.config, agent)
  const known = await app.store.sessions.get(session)
  return findAgent(app.config, known?.agentId)
}

async function chooseModel(app: App, requested: string | undefined, sessionId: string, agent: Agent): Promise<ResolvedModel> {
  if (requested !== undefined) return app.models.resolve(requested)
  const session = await app.store.sessions.get(sessionId)
  if (session?.model) return app.models.resolve(session.model)
  // Precedence: request, session, active, agent, default. The active model is the owner's newest word.
  const active = await chosenModel(app)
  if (active === undefined && agent.model) return app.models.resolve(agent.model)
  return activeModel(app)
}
