import {text} from 'node:stream/consumers'
import {Args} from '@oclif/core'
import {SvcCommand} from '../../../../src/svc-command.js'

export default class Optional extends SvcCommand {
  static override summary = 'Read stdin itself'
  static override args = {word: Args.string({description: 'a word'})}

  async run() {
    const {args} = await this.parse(Optional)
    return {word: args.word ?? null, input: await text(process.stdin)}
  }
}
