import {Args} from '@oclif/core'
import {removeAlias} from '../../../core/models/aliases.js'
import {SvcCommand} from '../../../svc-command.js'

export default class ModelAliasRemove extends SvcCommand {
  static override summary = 'Remove a short name'
  static override examples = ['<%= config.bin %> model alias remove fast']
  static override args = {name: Args.string({required: true, description: 'the alias'})}

  async run(): Promise<object> {
    const {args} = await this.parse(ModelAliasRemove)
    const {notes, ...change} = await removeAlias(await this.app(), args.name)
    for (const note of notes) this.warn(note)
    if (!this.jsonEnabled()) process.stdout.write(`Removed ${change.alias}, which led to ${change.previous}.\n`)
    return change
  }
}
