import {SvcError} from '../errors.js'
import {ID, newId} from '../ids.js'

/** Sessions that channels and jobs open for themselves; nobody else may name them. */
const RESERVED = /^(channel|cron|heartbeat)-/

/** The session that messages join when they name none. */
export const mainSession = (agentId: string, defaultAgentId: string): string =>
  agentId === defaultAgentId ? 'main' : `main-${agentId}`

/**
 * The session a caller means.
 *
 * @param named an id, `new`, or nothing for the agent's main session
 * @throws SvcError `invalid-input` not an id, or one that belongs to a channel
 */
export function chooseSession(named: string | undefined, agentId: string, defaultAgentId: string): string {
  if (named === undefined) return mainSession(agentId, defaultAgentId)
  if (named === 'new') return newId('session')
  if (!ID.test(named)) {
    throw new SvcError('invalid-input', `${JSON.stringify(named)} is not a session id.`, {
      hint: 'Use up to 64 letters, digits, - and _, or "new".',
      issues: [{path: ['session'], message: 'use up to 64 letters, digits, - and _'}],
    })
  }
  if (RESERVED.test(named)) {
    throw new SvcError('invalid-input', `Session ${named} belongs to a channel.`, {
      hint: 'Leave the session out, or use "new".',
      issues: [{path: ['session'], message: 'belongs to a channel'}],
    })
  }
  return named
}
