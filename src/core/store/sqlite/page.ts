import {SvcError} from '../../errors.js'
import type {Page, PageRequest} from '../store.js'
import type {Row} from './database.js'

/**
 * One page of rows that are ordered by a falling integer column, newest first. The cursor is that integer of the last row.
 *
 * @param read gets the integer that all rows must lie below, and how many rows to read
 * @throws SvcError `invalid-input` the cursor is not one of ours
 */
export function pageBy<Item>(
  {limit, cursor}: PageRequest,
  column: string,
  toItem: (row: Row) => Item,
  read: (before: number, limit: number) => Row[],
): Page<Item> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  if (!Number.isSafeInteger(before) || before < 0) throw badCursor()
  // One more than asked for tells whether there is a next page.
  const rows = read(before, limit + 1)
  const shown = rows.slice(0, limit)
  return {items: shown.map(toItem), nextCursor: rows.length > limit ? String(shown.at(-1)?.[column]) : null}
}

export function badCursor(): SvcError {
  return new SvcError('invalid-input', 'The cursor is not one this list gave.', {
    hint: 'Leave it out to start from the newest.',
    issues: [{path: ['cursor'], message: 'not a cursor of this list'}],
  })
}
