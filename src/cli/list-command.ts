import {Flags} from '@oclif/core'
import {SvcCommand} from '../svc-command.js'
import type {Columns} from './table.js'

/** How much of a list a command shows, as in the HTTP API. */
export const pagingFlags = {
  limit: Flags.integer({description: 'how many rows, up to 200', default: 50, min: 1, max: 200}),
  cursor: Flags.string({description: 'go on where the list before ended'}),
}

/** Base of the commands that show one page of a list, newest first. */
export abstract class ListCommand extends SvcCommand {
  /** @param empty what to say when there are no rows; it goes to stderr, so that a pipe stays empty */
  protected page<Row>(
    rows: readonly Row[],
    columns: Columns<Row>,
    {nextCursor, empty}: {nextCursor: string | null; empty: string},
  ): void {
    if (rows.length === 0) this.info(empty)
    else this.table(rows, columns)
    if (nextCursor !== null) this.info(`There is more: add --cursor ${nextCursor}`)
  }
}
