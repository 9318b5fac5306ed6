import {expect} from 'chai'
import {tempFolder} from '../support/temp.js'
import {inspect} from './kill-check.js'
import {killStorm} from './kill-storm.js'

describe('A gateway that is killed again and again', () => {
  it('loses nothing it acknowledged and answers nothing twice', async function () {
    this.timeout(180_000)
    const report = await killStorm({home: await tempFolder(), kills: 10})
    const {damage} = await inspect(report)
    expect(report.wrongAnswers).to.deep.equal([])
    for (const [name, found] of Object.entries(damage)) expect(found, name).to.deep.equal([])
    expect(report.answered.length).to.be.greaterThan(20)
    expect(report.lastExit).to.equal(0)
  })
})
