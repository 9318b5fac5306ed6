import {isDeepStrictEqual} from 'node:util'
import {SvcError} from '../errors.js'
import {noUsage} from '../usage/usage.js'
import type {Run} from './run.js'

/** The same call with the same input this often in a row is a loop. */
const IDENTICAL_CALLS = 3

/**
 * Asked before the calls of a step run.
 *
 * @throws SvcError `loop-limit` the model makes the same call again and again
 */
export function refuseRepetition({calls}: Run): void {
  const newest = calls.slice(-IDENTICAL_CALLS)
  const repeated = newest.every((call) => call.name === newest[0]?.name && isDeepStrictEqual(call.input, newest[0]?.input))
  if (newest.length < IDENTICAL_CALLS || !repeated) return
  throw new SvcError('loop-limit', `The model called ${newest[0]?.name} with the same input ${IDENTICAL_CALLS} times in a row.`, {
    hint: 'Ask again in other words, or use another model.',
  })
}

/**
 * Asked before every call of a model.
 *
 * @throws SvcError `loop-limit` too many tool rounds; `budget-exceeded` also when a budget in US dollars meets a model whose
 *   price nobody knows
 */
export async function checkLimits({app, turn, model, step}: Run): Promise<void> {
  const {budgets} = app.config
  if (budgets.perTurnUsd !== undefined || budgets.perDayUsd !== undefined) {
    const {costUsd} = await app.models.price(model, noUsage, app.now())
    if (costUsd === null) {
      throw new SvcError('budget-exceeded', `The price of ${model.id} is not known, so a budget in US dollars cannot be kept.`, {
        hint: 'Use another model, or budgets.perTurnTokens in place of budgets.perTurnUsd and budgets.perDayUsd.',
      })
    }
  }
  if (step > budgets.toolRounds) {
    throw new SvcError('loop-limit', `The turn made ${budgets.toolRounds} tool rounds without an answer.`, {
      hint: 'Ask for a smaller piece, or raise budgets.toolRounds.',
    })
  }

  if (budgets.perTurnTokens !== undefined || budgets.perTurnUsd !== undefined) {
    const used = await app.store.turns.usage(turn.id)
    const tokens = used.inputTokens + used.outputTokens
    if (tokens >= (budgets.perTurnTokens ?? Infinity)) throw exceeded(`${tokens} tokens`, 'budgets.perTurnTokens')
    if ((used.costUsd ?? 0) >= (budgets.perTurnUsd ?? Infinity))
      throw exceeded(`$${used.costUsd?.toFixed(4)}`, 'budgets.perTurnUsd')
  }
  if (budgets.perDayUsd !== undefined) {
    const midnight = new Date(app.now())
    midnight.setHours(0, 0, 0, 0)
    const spent = await app.store.turns.spentSince(midnight.toISOString())
    if (spent >= budgets.perDayUsd) throw exceeded(`$${spent.toFixed(4)} today`, 'budgets.perDayUsd')
  }
}

function exceeded(used: string, key: string): SvcError {
  return new SvcError('budget-exceeded', `The turn stopped after ${used}, the limit of ${key}.`, {
    hint: `Raise ${key} if you want more.`,
  })
}
