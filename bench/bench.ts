import {execFileSync} from 'node:child_process'
import {cpus, loadavg, totalmem} from 'node:os'
import {parseArgs} from 'node:util'
import {healthRate} from './health-rate.js'
import {lists} from './lists.js'
import type {Measurement} from './measurement.js'
import {memory} from './memory.js'
import {requestSize} from './request-size.js'
import {serveStart} from './serve-start.js'
import {startUp} from './start-up.js'
import {buildWhenStale, root} from './support/build.js'
import {removeHomes} from './support/homes.js'
import {isMet, printRows, type Row, summary} from './support/report.js'
import {throughput} from './throughput.js'
import {turnOverhead} from './turn-overhead.js'

const measurements: Measurement[] = [startUp, serveStart, healthRate, turnOverhead, throughput, memory, requestSize, lists]

const {values: options} = parseArgs({
  options: {
    only: {type: 'string', multiple: true},
    long: {type: 'boolean', default: false},
    json: {type: 'boolean', default: false},
    'no-build': {type: 'boolean', default: false},
    help: {type: 'boolean', default: false},
  },
})

if (options.help) {
  const names = measurements.map(({name, about}) => `  ${name.padEnd(14)} ${about}`).join('\n')
  console.log(`npm run bench -- [--only NAME]... [--long] [--json] [--no-build]\n\n${names}`)
} else {
  await runAll(chosen())
}

function chosen(): Measurement[] {
  const unknown = options.only?.filter((name) => !measurements.some((measurement) => measurement.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`There is no measurement ${unknown.join(', ')}; --help lists them.`)
  return measurements.filter(({name}) => !options.only || options.only.includes(name))
}

/** A measurement that cannot run is reported and does not stop the others. */
async function runAll(chosen: Measurement[]): Promise<void> {
  if (!options['no-build']) buildWhenStale()
  const machine = describeMachine()
  if (!options.json) console.log(machine)
  const results: {name: string; rows: Row[]; error?: string}[] = []
  try {
    for (const {name, about, run} of chosen) {
      if (!options.json) console.log(`\n${name}: ${about}`)
      try {
        const rows = await run({long: options.long})
        results.push({name, rows})
        if (!options.json) printRows(rows)
      } catch (error) {
        results.push({name, rows: [], error: String(error)})
        if (!options.json) console.log(`  could not be measured: ${error instanceof Error ? error.stack : error}`)
      }
    }
  } finally {
    await removeHomes()
  }

  const rows = results.flatMap((result) => result.rows)
  if (options.json) console.log(JSON.stringify({machine, results, missed: rows.filter((row) => isMet(row) === false)}, null, 2))
  else console.log(`\n${summary(rows)}`)
  if (results.some(({error}) => error)) process.exitCode = 1
}

function describeMachine(): string {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], {cwd: root, encoding: 'utf8'}).trim()
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const load = loadavg()[0]?.toFixed(1)
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ')
  return `${date} UTC, commit ${commit}, Node ${process.versions.node}, ${cpus().length} × ${cpu?.model ?? 'CPU'}, ${memory}, load ${load} at the start`
}
