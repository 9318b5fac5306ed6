import type {Agent} from '../agent/agent.js'
import {SvcError} from '../errors.js'
import {type Config, defaultMaxOutputTokens} from './schema.js'

/** There without any configuration, so that the first message has somebody to answer it. */
const implicit = 'assistant'

/** Ids of the agents there are, the implicit one included. */
export function agentIds(config: Config): string[] {
  return [...new Set([implicit, ...Object.keys(config.agents.list)])]
}

/**
 * @param id the configured default when absent
 * @throws SvcError `not-found` with the known ids as a hint
 */
export function findAgent(config: Config, id: string = config.agents.default): Agent {
  const known = agentIds(config)
  if (!known.includes(id)) {
    throw new SvcError('not-found', `There is no agent "${id}".`, {hint: `Known agents: ${known.join(', ')}.`})
  }
  const written = Object.hasOwn(config.agents.list, id) ? config.agents.list[id] : undefined
  return {
    id,
    name: written?.name ?? (id === implicit ? 'Assistant' : id),
    model: written?.model ?? null,
    fallbacks: written?.fallbacks ?? [],
    instructions: written?.instructions ?? '',
    tools: written?.tools ?? null,
    thinking: written?.thinking,
    maxOutputTokens: written?.maxOutputTokens ?? defaultMaxOutputTokens,
  }
}
