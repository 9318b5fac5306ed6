import {Args} from '@oclif/core'
import {streamFlag, TurnCommand} from '../../cli/turn-command.js'
import {isFinished} from '../../core/agent/turn.js'
import {SvcError} from '../../core/errors.js'

export default class TurnsRetry extends TurnCommand {
  static override summary = 'Send the message of a turn again, as a new turn of its conversation'
  static override examples = ['<%= config.bin %> turns retry turn_mh2k9x0a7f3c']
  static override args = {id: Args.string({required: true, description: 'id of the turn, from svc turns list'})}
  static override flags = streamFlag

  async run(): Promise<object> {
    const {args} = await this.parse(TurnsRetry)
    const {store} = await this.app()
    const turn = await store.turns.get(args.id)
    if (!turn) throw new SvcError('not-found', `There is no turn ${JSON.stringify(args.id)}.`, {hint: 'svc turns list'})
    if (!isFinished(turn))
      throw new SvcError('conflict', `Turn ${turn.id} is ${turn.status}.`, {hint: `svc turns cancel ${turn.id}`})
    return this.converse({text: turn.message, session: turn.sessionId})
  }
}
