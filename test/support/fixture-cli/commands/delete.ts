import {SvcCommand} from '../../../../src/svc-command.js'

export default class Delete extends SvcCommand {
  static override summary = 'Delete everything'

  async run() {
    await this.parse(Delete)
    return {deleted: await this.confirm('Delete everything?')}
  }
}
