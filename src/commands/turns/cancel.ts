import {Args} from '@oclif/core'
import {SvcCommand} from '../../svc-command.js'

export default class TurnsCancel extends SvcCommand {
  static override summary = 'Stop a turn, whichever process runs it'
  static override description = 'What it has said so far is kept.'
  static override examples = ['<%= config.bin %> turns cancel turn_mh2k9x0a7f3c']
  static override args = {id: Args.string({required: true, description: 'id of the turn, from svc turns list'})}

  async run(): Promise<object> {
    const {args} = await this.parse(TurnsCancel)
    const {engine} = await this.app()
    // Whoever runs the turn ends it; if that process is dead, this one takes it over and ends it.
    const ended = Promise.all([engine.cancel(args.id, 'cli'), engine.recover()])
    const [turn] = await this.waiting('Stopping the turn', ended)
    if (!this.jsonEnabled()) process.stdout.write(`Turn ${turn.id} is ${turn.status}.\n`)
    return {turn}
  }
}
