import type {Turn} from '../core/agent/turn.js'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'

/** @throws SvcError `not-found` */
export async function findTurn(app: App, id: string): Promise<Turn> {
  const turn = await app.store.turns.get(id)
  if (turn) return turn
  throw new SvcError('not-found', `There is no turn ${id}.`, {hint: 'GET /api/dashboard/turns lists them.'})
}
