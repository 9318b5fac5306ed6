import {Args} from '@oclif/core'
import {ListCommand, pagingFlags} from '../cli/list-command.js'

export default class Search extends ListCommand {
  static override summary = 'Find what was said, in all conversations'
  static override description = 'All words have to be in the message; quotes make a phrase. What was found stands in brackets.'
  static override examples = ['<%= config.bin %> search invoice', `<%= config.bin %> search '"flight to Oslo" hotel' --limit 5`]
  static override strict = false
  static override args = {query: Args.string({required: true, description: 'words, or phrases in quotes'})}
  static override flags = pagingFlags

  async run(): Promise<object> {
    const {argv, flags} = await this.parse(Search)
    const app = await this.app()
    const {items: hits, nextCursor} = await app.store.sessions.search(argv.join(' '), flags)
    this.page(
      hits,
      {
        WHEN: ({at}) => new Date(at),
        SESSION: ({sessionId}) => sessionId,
        WHO: ({role}) => role,
        TEXT: ({snippet}) => snippet,
      },
      {nextCursor, empty: 'Nothing was found.'},
    )
    return {hits, nextCursor}
  }
}
