import {Args} from '@oclif/core'
import {formatDetails} from '../../cli/details.js'
import {usageText} from '../../cli/usage-text.js'
import {activeModel} from '../../core/models/active.js'
import {type Probe, probeModel} from '../../core/models/probe-model.js'
import {SvcCommand} from '../../svc-command.js'

export default class ModelTest extends SvcCommand {
  static override summary = 'Make one small real call to a model'
  static override description = 'Shows whether provider, key and model work, and how long they take.'
  static override examples = ['<%= config.bin %> model test', '<%= config.bin %> model test openai/gpt-5.6-sol']
  static override args = {model: Args.string({description: 'alias, provider/model or model id; the active model when left out'})}

  async run(): Promise<Probe> {
    const {args} = await this.parse(ModelTest)
    const app = await this.app()
    const model = args.model === undefined ? await activeModel(app) : app.models.resolve(args.model)
    const probe = await this.waiting(`Asking ${model.id}`, probeModel(app, model))
    if (!this.jsonEnabled()) {
      const facts = {
        Model: probe.model,
        Reply: firstWords(probe.reply),
        'First token': `${probe.firstTokenMs} ms`,
        Whole: `${probe.durationMs} ms`,
        Usage: usageText(probe.usage) || null,
      }
      process.stdout.write(formatDetails(facts, process.stdout.isTTY))
    }
    return probe
  }
}

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`
}
