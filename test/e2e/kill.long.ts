import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {inspect} from './kill-check.js'
import {killStorm} from './kill-storm.js'

// `npm run test:kill`: the long form of kill.test.ts. KILLS says how many, 200 when it does not.
const kills = Number(process.env.KILLS ?? 200)
const home = await mkdtemp(join(tmpdir(), 'svc-kill-'))
const report = await killStorm({home, kills})
const {damage, turns, takeovers} = await inspect(report)

const starts = report.starts.toSorted((left, right) => left - right)
console.log(`${report.kills} kills of the gateway, ${report.killedCommands} of commands`)
console.log(
  `${report.acknowledged.length} messages acknowledged, ${report.answered.length} answered, ${turns} turns, ${takeovers} takeovers`,
)
console.log(
  `ready again after ${Math.round(starts[starts.length >> 1] ?? 0)} ms (median), ${Math.round(starts.at(-1) ?? 0)} ms (longest)`,
)

const findings = Object.entries({
  ...damage,
  wrongAnswers: report.wrongAnswers,
  lastExit: report.lastExit === 0 ? [] : [`${report.lastExit}`],
})
for (const [name, found] of findings)
  console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name} ${found.slice(0, 20).join('\n     ')}`)
const failed = findings.filter(([, found]) => found.length > 0).length
console.log(`${findings.length - failed} passed, ${failed} failed`)
if (failed === 0) await rm(home, {recursive: true})
else console.log(`The home is kept: ${home}`)
process.exitCode = failed === 0 ? 0 : 1
