import {Args, Flags} from '@oclif/core'
import {SvcCommand} from '../../../../src/svc-command.js'

export default class Show extends SvcCommand {
  static override summary = 'Show one item'
  static override args = {id: Args.string({required: true, description: 'which item'})}
  static override flags = {
    count: Flags.integer({description: 'how many'}),
    level: Flags.string({options: ['low', 'high'], description: 'how much'}),
  }

  async run() {
    const {args, flags} = await this.parse(Show)
    this.info('looking')
    this.warn('The item is old.')
    this.log(`item ${args.id}`)
    return {item: {id: args.id, count: flags.count ?? 1}}
  }
}
