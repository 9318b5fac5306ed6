import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import type {Measurement} from './measurement.js'
import {root} from './support/build.js'
import {environment} from './support/gateway.js'
import {newHome} from './support/homes.js'
import {median, range, ratioOf, timed} from './support/statistics.js'

const RUNS = 21
const WARM_UPS = 3

const commands = [
  {args: ['--version'], atMost: 2},
  {args: ['model'], atMost: 4},
  {args: ['status'], atMost: 4},
]

/** Whole processes, from their start to their end, in a home that has compiled code from earlier runs. */
export const startUp: Measurement = {
  name: 'start-up',
  about: `whole processes against bare "node -e 0", ${RUNS} interleaved runs`,
  async run() {
    const home = await newHome()
    const script = join(root, 'bin/run.js')
    const bare: number[] = []
    const times = commands.map((): number[] => [])
    for (const round of range(WARM_UPS + RUNS)) {
      const bareMs = await processTime(['-e', '0'], home)
      const commandMs = []
      for (const {args} of commands) commandMs.push(await processTime([script, ...args], home))
      if (round < WARM_UPS) continue
      bare.push(bareMs)
      for (const [index, ms] of commandMs.entries()) times[index]?.push(ms)
    }
    return commands.map(({args, atMost}, index) => {
      const own = times[index] ?? []
      const fastest = `fastest ${Math.min(...own).toFixed(0)} against ${Math.min(...bare).toFixed(0)} ms`
      const note = `${median(own).toFixed(0)} against ${median(bare).toFixed(0)} ms; ${fastest}`
      return {what: `svc ${args.join(' ')}`, ...ratioOf(own, bare), unit: '×', target: {atMost}, note}
    })
  },
}

function processTime(args: string[], home: string): Promise<number> {
  return timed(async () => {
    const child = spawn(process.execPath, args, {env: environment(home), stdio: 'ignore'})
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`)
  })
}
