import {once} from 'node:events'
import {SvcCommand} from '../../../../src/svc-command.js'

export default class Wait extends SvcCommand {
  static override summary = 'Wait for Ctrl-C'

  async run() {
    await this.parse(Wait)
    const alive = setInterval(() => {}, 1000)
    const interruption = this.interruption()
    this.log('waiting')
    await once(interruption, 'abort')
    clearInterval(alive)
    this.log('kept 3 words')
    process.exitCode = 130
  }
}
