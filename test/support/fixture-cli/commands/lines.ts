import {SvcCommand} from '../../../../src/svc-command.js'

export default class Lines extends SvcCommand {
  static override summary = 'Print without an end'

  async run() {
    await this.parse(Lines)
    for (let line = 1; ; line++) {
      this.log(`line ${line}`)
      await new Promise(setImmediate)
    }
  }
}
