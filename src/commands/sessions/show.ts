import {Args} from '@oclif/core'
import {formatDetails} from '../../cli/details.js'
import {ListCommand, pagingFlags} from '../../cli/list-command.js'
import {formatTranscript} from '../../cli/transcript.js'
import {SvcError} from '../../core/errors.js'

export default class SessionsShow extends ListCommand {
  static override summary = 'One conversation and its latest messages'
  static override examples = ['<%= config.bin %> sessions show main', '<%= config.bin %> sessions show main --limit 200 --json']
  static override args = {id: Args.string({required: true, description: 'id of the session, from svc sessions list'})}
  static override flags = pagingFlags

  async run(): Promise<object> {
    const {args, flags} = await this.parse(SessionsShow)
    const app = await this.app()
    const session = await app.store.sessions.get(args.id)
    if (!session) throw new SvcError('not-found', `There is no session ${JSON.stringify(args.id)}.`, {hint: 'svc sessions list'})
    const {items, nextCursor} = await app.store.sessions.messages(session.id, flags)
    // The page holds the latest messages, the latest first; people read the other way.
    const messages = items.reverse()

    if (!this.jsonEnabled()) {
      const terminal = process.stdout.isTTY
      const {id, title, agentId, channel, model, createdAt, updatedAt} = session
      const facts = {Session: id, Title: title, Agent: agentId, Channel: channel, Model: model}
      const times = {Created: new Date(createdAt), Updated: new Date(updatedAt)}
      process.stdout.write(`${formatDetails({...facts, ...times}, terminal)}\n${formatTranscript(messages, terminal)}`)
      if (nextCursor !== null) this.info(`There is more before that: add --cursor ${nextCursor}`)
    }
    return {session, messages, nextCursor}
  }
}
