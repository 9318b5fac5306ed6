import {listModels} from '../../cli/model-list.js'
import {SvcCommand} from '../../svc-command.js'

export default class ModelList extends SvcCommand {
  static override summary = 'The aliases, and the models of the configured providers'
  static override description = 'A provider takes its other models too: name them as provider/model.'
  static override examples = ['<%= config.bin %> model list', '<%= config.bin %> model list --json']

  async run(): Promise<object> {
    await this.parse(ModelList)
    const models = listModels(await this.app())
    this.table(models, {
      ALIAS: ({alias}) => alias,
      MODEL: ({model}) => model,
      PROVIDER: ({provider}) => provider,
      STATE: ({ready, missing}) => (ready ? 'ready' : missing),
    })
    return {models}
  }
}
