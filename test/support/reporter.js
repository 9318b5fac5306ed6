import mocha from 'mocha'

const {EVENT_RUN_END} = mocha.Runner.constants

/** mocha's own report, ended by one plain line that a script can find: `412 passed, 0 failed, 2 skipped`. */
export default class Reporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once(EVENT_RUN_END, () => {
      const {passes, failures, pending} = this.stats
      // After the report, which Spec prints at the same event.
      process.once('exit', () => console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`))
    })
  }
}
