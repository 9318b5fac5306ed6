import {existsSync, mkdirSync} from 'node:fs'
import module from 'node:module'
import {homedir} from 'node:os'
import {join, resolve} from 'node:path'
import {fileURLToPath} from 'node:url'

const oldestNode = 24
/** Both halves of the space for new objects. */
const NURSERY_BYTES = 16 * 1024 * 1024

/**
 * Prepares the process, loads the program and runs the command line. Only `node:` modules may be imported here and only syntax
 * that Node 18 parses may be used: on a Node that is too old this file still has to say so.
 *
 * @param {string} script URL of the file that was started; the one to start again on a newer Node
 * @param {() => Promise<{main(argv: string[], launch: {root: string, source?: boolean}): Promise<void>}>} load
 * @param {{source?: boolean}} options `source` when the commands are read from src instead of dist
 */
export async function start(script, load, {source = false} = {}) {
  const root = fileURLToPath(new URL('..', script))
  const argv = process.argv.slice(2)

  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    const {restart} = await import('./restart.js')
    return restart(root, fileURLToPath(script), argv, oldestNode)
  }

  // Every colour library reads FORCE_COLOR once, while it is imported.
  if (process.env.NO_COLOR || process.env.TERM === 'dumb' || argv.includes('--no-color')) process.env.FORCE_COLOR = '0'

  cacheCompiledCode()
  if (argv[0] === 'serve') await staySmall()

  if (!source && !existsSync(join(root, 'dist', 'cli.js'))) {
    process.stderr.write(`Error: svc is not built yet.\nTry: npm --prefix ${root} run build\n`)
    process.exitCode = 1
    return
  }

  const {main} = await load()
  await main(argv, {root, source})
  // Everything is closed by now. A socket that a library forgot must not keep the shell waiting.
  setTimeout(() => process.exit(), 500).unref()
}

/**
 * A turn makes about a megabyte of garbage, and V8 by itself would let a busy server grow to 400 MB before it looks for what can
 * go. Less than half of that is enough: the nursery stops growing at a useful size, which no flag can say once the process runs,
 * and the rest is swept sooner (`npm run bench -- --only memory`). Flags that a later Node does not know are ignored here.
 */
async function staySmall() {
  const {getHeapSpaceStatistics, setFlagsFromString} = await import('node:v8')
  setFlagsFromString('--heap-growing-percent=40')
  const observer = new PerformanceObserver(() => {
    const nursery = getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space')
    if (!nursery || nursery.space_size < NURSERY_BYTES) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({entryTypes: ['gc']})
}

/** Halves the start. Without a home that can be written the program runs all the same, only slower. */
function cacheCompiledCode() {
  const home = resolve(process.env.SVC_HOME || join(homedir(), '.svc'))
  try {
    // Not recursive: that never returns for a folder below /proc.
    if (!existsSync(home)) mkdirSync(home, {mode: 0o700})
    module.enableCompileCache(join(home, 'cache'))
  } catch {}
}
