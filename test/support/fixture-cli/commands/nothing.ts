import {SvcCommand} from '../../../../src/svc-command.js'

export default class Nothing extends SvcCommand {
  static override summary = 'Return nothing'

  async run() {
    await this.parse(Nothing)
  }
}
