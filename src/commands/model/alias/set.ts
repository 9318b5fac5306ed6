import {Args} from '@oclif/core'
import {setAlias} from '../../../core/models/aliases.js'
import {SvcCommand} from '../../../svc-command.js'

export default class ModelAliasSet extends SvcCommand {
  static override summary = 'Give a model a short name'
  static override examples = [
    '<%= config.bin %> model alias set fast groq/llama-3.1-8b-instant',
    '<%= config.bin %> model alias set gpt5.6 openai/gpt-5.6-sol',
  ]
  static override args = {
    name: Args.string({required: true, description: 'letters, digits, ".", "_" and "-"'}),
    model: Args.string({required: true, description: 'provider/model, model id or another alias'}),
  }

  async run(): Promise<object> {
    const {args} = await this.parse(ModelAliasSet)
    const {notes, ...change} = await setAlias(await this.app(), args.name, args.model)
    for (const note of notes) this.warn(note)
    if (!this.jsonEnabled()) process.stdout.write(`${change.alias} → ${change.model}\n`)
    return change
  }
}
