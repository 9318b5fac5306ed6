import {SvcCommand} from '../../../../../src/svc-command.js'

const jobs = [
  {id: 'j1', name: 'Morning\tnews', runs: 12, nextAt: new Date('2026-11-22T07:00:00Z')},
  {id: 'j2', name: '\u001b[2JEvil', runs: 3, nextAt: undefined},
]

export default class JobsList extends SvcCommand {
  static override summary = 'List the jobs'

  async run() {
    await this.parse(JobsList)
    this.table(jobs, {
      ID: (job) => job.id,
      NAME: (job) => job.name,
      RUNS: (job) => job.runs,
      NEXT: (job) => job.nextAt,
    })
    return {jobs}
  }
}
