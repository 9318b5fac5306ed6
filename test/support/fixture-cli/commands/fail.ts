import {Args} from '@oclif/core'
import {type FailureCode, SvcError} from '../../../../src/core/errors.js'
import {SvcCommand} from '../../../../src/svc-command.js'

export default class Fail extends SvcCommand {
  static override summary = 'Fail with a code'
  static override args = {code: Args.string({required: true, description: 'one of the failure codes'})}

  async run() {
    const {args} = await this.parse(Fail)
    this.warn('Just before it failed.')
    const issues = [{path: ['models', 'aliases', 'gpt5.6'], message: 'points nowhere'}]
    throw new SvcError(args.code as FailureCode, 'It did \u001b[31mnot\u001b[0m work.', {hint: 'svc show 1', issues})
  }
}
