import {SvcCommand} from '../../../../src/svc-command.js'

export default class Bug extends SvcCommand {
  static override summary = 'Break'

  async run() {
    await this.parse(Bug)
    throw new TypeError('x is not a function')
  }
}
