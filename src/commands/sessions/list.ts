import {ListCommand, pagingFlags} from '../../cli/list-command.js'

export default class SessionsList extends ListCommand {
  static override summary = 'The conversations, the latest first'
  static override examples = ['<%= config.bin %> sessions list', '<%= config.bin %> sessions list --limit 5 --json']
  static override flags = pagingFlags

  async run(): Promise<object> {
    const {flags} = await this.parse(SessionsList)
    const app = await this.app()
    const {items: sessions, nextCursor} = await app.store.sessions.list(flags)
    this.page(
      sessions,
      {
        ID: ({id}) => id,
        UPDATED: ({updatedAt}) => new Date(updatedAt),
        AGENT: ({agentId}) => agentId,
        CHANNEL: ({channel}) => channel,
        TITLE: ({title}) => title,
      },
      {nextCursor, empty: 'There are no conversations yet. Start one: svc message "hello"'},
    )
    return {sessions, nextCursor}
  }
}
