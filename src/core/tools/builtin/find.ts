import {opendir} from 'node:fs/promises'
import {join} from 'node:path'
import * as z from 'zod'
import {SvcError} from '../../errors.js'
import {compileGlob} from '../glob.js'
import {explain, isReachable, type Reach, reachOf, resolveInside} from '../paths.js'
import {tool} from '../tool.js'

const mostFound = 200
const mostVisited = 100_000
/** Entered only when the pattern names them. */
const noisyFolders = ['node_modules', '.git']

export const find = tool({
  name: 'find',
  description: 'Find files by name.',
  input: z.object({
    pattern: z.string().min(1).max(200).describe('Glob such as *.md or docs/**/*.txt, or a part of the name'),
    path: z.string().max(4096).default('.').describe('Folder'),
  }),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  async run({pattern, path}, context) {
    const reach = reachOf(context)
    const folder = await resolveInside(reach, path)
    const files: string[] = []
    const walk = walkFiles(reach, folder, path, pattern, context.signal)
    const matches = compilePattern(pattern)
    for await (const file of walk) {
      if (!matches(file)) continue
      if (files.length === mostFound) return {folder: path, files: files.sort(), more: `only ${mostFound} shown`}
      files.push(file)
    }
    return {folder: path, files: files.sort()}
  },
})

/** A pattern with a slash is about the path, one without about the name; plain words match inside the name, whatever their case. */
function compilePattern(pattern: string): (file: string) => boolean {
  const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1)
  if (!/[*?[{/]/.test(pattern)) return (file) => nameOf(file).toLowerCase().includes(pattern.toLowerCase())
  const matches = compile(pattern.replace(/^\.\//, ''))
  return pattern.includes('/') ? matches : (file) => matches(nameOf(file))
}

function compile(pattern: string): (path: string) => boolean {
  try {
    return compileGlob(pattern)
  } catch (error) {
    throw new SvcError('invalid-input', (error as Error).message, {cause: error})
  }
}

/** Files under `folder`, as paths below it with `/`. Links are named but never followed, so the walk cannot leave the folder. */
async function* walkFiles(
  reach: Reach,
  folder: string,
  asked: string,
  pattern: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const waiting = ['']
  let visited = 0
  for (let below = waiting.shift(); below !== undefined; below = waiting.shift()) {
    const entries = await opendir(join(folder, below)).catch(below === '' ? explain(asked) : () => [])
    for await (const entry of entries) {
      signal.throwIfAborted()
      if (++visited > mostVisited)
        throw new SvcError('too-large', `The folder has more than ${mostVisited} entries.`, {
          hint: 'Search in a folder below it.',
        })
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (!entry.isDirectory()) yield path
      else if (await isWorthEntering(reach, folder, path, pattern)) waiting.push(path)
    }
  }
}

/** The service home may lie inside an allowed folder; it stays closed there too. */
async function isWorthEntering(reach: Reach, folder: string, path: string, pattern: string): Promise<boolean> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (noisyFolders.includes(name) && !pattern.includes(name)) return false
  return isReachable(reach, join(folder, path))
}
