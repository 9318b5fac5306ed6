import {Args, Flags} from '@oclif/core'
import {formatDetails} from '../../cli/details.js'
import type {App} from '../../core/app.js'
import {SvcError} from '../../core/errors.js'
import {chosenModel, describeActiveModel, type ModelRef, switchModel} from '../../core/models/active.js'
import {SvcCommand} from '../../svc-command.js'

export default class Model extends SvcCommand {
  static override summary = 'Show the active model, or switch to another'
  static override description = 'The active model answers every message that names no other. It survives restarts.'
  static override examples = [
    '<%= config.bin %> model',
    '<%= config.bin %> model gpt',
    '<%= config.bin %> model anthropic/claude-sonnet-5-5',
    '<%= config.bin %> model --default',
  ]
  static override flags = {
    default: Flags.boolean({description: 'take the choice back: the default and the models of the agents count again'}),
  }

  static override args = {model: Args.string({description: 'alias, provider/model or model id to switch to'})}

  async run(): Promise<object> {
    const {args, flags} = await this.parse(Model)
    const app = await this.app()
    if (flags.default && args.model !== undefined) {
      throw new SvcError('invalid-input', 'A model and --default exclude each other.', {hint: 'svc model --default'})
    }
    if (flags.default) return this.#switch(app, null)
    return args.model === undefined ? this.#show(app) : this.#switch(app, args.model)
  }

  async #show(app: App): Promise<object> {
    const {error, ...model} = await describeActiveModel(app)
    if (error) this.warn(error)
    const source = await this.#sourceOf(app, model)
    const aliases = Object.entries(app.config.models.aliases).map(([alias, model]) => ({alias, model}))
    if (!this.jsonEnabled()) {
      process.stdout.write(`${formatDetails({Model: model.id, Alias: model.alias, Chosen: source}, process.stdout.isTTY)}\n`)
      if (aliases.length > 0) this.table(aliases, {ALIAS: ({alias}) => alias, MODEL: ({model}) => model})
      else this.info('There are no aliases. Make one: svc model alias set NAME PROVIDER/MODEL')
    }
    return {model, source, aliases}
  }

  async #switch(app: App, name: string | null): Promise<object> {
    const {model, previous} = await switchModel(app, name, 'cli')
    if (!this.jsonEnabled()) process.stdout.write(`${nameOf(previous)} → ${nameOf(model)}\n`)
    return {model, previous}
  }

  /** Where the active model comes from. */
  async #sourceOf(app: App, model: ModelRef): Promise<string> {
    if ((await chosenModel(app)) !== undefined) return 'with svc model'
    if (app.config.models.default !== undefined) return 'models.default in the configuration'
    return model.provider === 'offline' ? 'no provider is set up' : `the first provider with a key`
  }
}

const nameOf = ({id, alias}: ModelRef): string => (alias === null ? id : `${alias} (${id})`)
