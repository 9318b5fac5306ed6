import type {Dirent} from 'node:fs'
import {lstat, opendir} from 'node:fs/promises'
import {join} from 'node:path'
import * as z from 'zod'
import {explain, reachOf, resolveInside} from '../paths.js'
import {tool} from '../tool.js'

const mostShown = 200
/** A folder with a million entries is not read to its end. */
const mostRead = 10_000

export const list = tool({
  name: 'list',
  description: 'List a folder.',
  input: z.object({path: z.string().max(4096).default('.')}),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  async run({path}, context) {
    const folder = await resolveInside(reachOf(context), path)
    const {found, complete} = await readFolder(folder, path, context.signal)
    const shown = found.sort(foldersFirst).slice(0, mostShown)
    return {
      folder: path,
      entries: await Promise.all(shown.map((entry) => describe(folder, entry))),
      ...(complete && shown.length === found.length
        ? {}
        : {more: `only ${shown.length} of ${complete ? '' : 'more than '}${found.length} shown`}),
    }
  },
})

async function readFolder(folder: string, path: string, signal: AbortSignal): Promise<{found: Dirent[]; complete: boolean}> {
  const found: Dirent[] = []
  for await (const entry of await opendir(folder).catch(explain(path))) {
    signal.throwIfAborted()
    if (found.length === mostRead) return {found, complete: false}
    found.push(entry)
  }
  return {found, complete: true}
}

function foldersFirst(left: Dirent, right: Dirent): number {
  if (left.isDirectory() !== right.isDirectory()) return left.isDirectory() ? -1 : 1
  return left.name < right.name ? -1 : 1
}

async function describe(folder: string, entry: Dirent) {
  const stats = await lstat(join(folder, entry.name)).catch(() => undefined)
  return {
    name: entry.name,
    type: typeOf(entry),
    ...(entry.isFile() && stats && {size: stats.size}),
    ...(stats && {modified: stats.mtime.toISOString().slice(0, 19).concat('Z')}),
  }
}

function typeOf(entry: Dirent): 'folder' | 'file' | 'link' | 'other' {
  if (entry.isDirectory()) return 'folder'
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
