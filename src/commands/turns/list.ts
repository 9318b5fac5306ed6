import {Flags} from '@oclif/core'
import {ListCommand, pagingFlags} from '../../cli/list-command.js'
import type {TurnStatus} from '../../core/agent/turn.js'

const statuses: TurnStatus[] = ['queued', 'running', 'awaiting-approval', 'completed', 'failed', 'cancelled', 'interrupted']

export default class TurnsList extends ListCommand {
  static override summary = 'What the agent is doing and did, the newest first'
  static override examples = ['<%= config.bin %> turns list', '<%= config.bin %> turns list --status failed --session main']
  static override flags = {
    session: Flags.string({description: 'only of this session'}),
    status: Flags.option({options: statuses, description: 'only in this state'})(),
    ...pagingFlags,
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(TurnsList)
    const app = await this.app()
    const {items: turns, nextCursor} = await app.store.turns.list({...flags, sessionId: flags.session})
    this.page(
      turns,
      {
        ID: ({id}) => id,
        STATUS: ({status}) => status,
        CREATED: ({createdAt}) => new Date(createdAt),
        SESSION: ({sessionId}) => sessionId,
        MODEL: ({model}) => model,
        MESSAGE: ({message}) => message,
      },
      {nextCursor, empty: 'There are no such turns.'},
    )
    return {turns, nextCursor}
  }
}
