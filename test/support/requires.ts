import {existsSync} from 'node:fs'
import type {Context} from 'mocha'

const said = new Set<string>()

/**
 * Skips the test, or every test after a hook, when the machine lacks what it needs, and says so once. Where the tests are the
 * gate (`CI` is set) nothing is skipped: there it fails.
 *
 * @param file what has to be there, as an absolute path
 */
export function requires(context: Context, name: string, file: string): void {
  if (existsSync(file)) return
  if (process.env.CI) throw new Error(`${name} is needed here and ${file} does not exist. Install it: see .ci/run.`)
  if (!said.has(name)) console.log(`    skipped for want of ${name} (${file})`)
  said.add(name)
  context.skip()
}
