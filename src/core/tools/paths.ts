import type {Stats} from 'node:fs'
import {constants} from 'node:fs'
import {type FileHandle, lstat, open, readdir, readlink, realpath} from 'node:fs/promises'
import {homedir} from 'node:os'
import {basename, dirname, join, relative, resolve, sep} from 'node:path'
import {SvcError} from '../errors.js'
import type {ToolContext} from './tool.js'

/** What the file tools of an agent may touch. */
export interface Reach {
  /** The service home: closed, but for allowed folders strictly inside it. */
  home: string
  /** Absolute. The first one is where relative paths start. */
  allowedFolders: readonly string[]
}

export interface OpenedFile {
  handle: FileHandle
  stats: Stats
  /** The real path of what was opened. */
  path: string
}

const longestPath = 4096
/** Closed even to an agent whose allowed folder is `/`: they show the environment of this process, and devices. */
const systemFolders = ['/proc', '/sys', '/dev']
/** Entries of the home, by how their name starts, that no allowed folder opens. */
const privateEntries = ['config.json', '.env', 'svc.db', 'logs']

export const reachOf = ({app}: Pick<ToolContext, 'app'>): Reach => ({
  home: app.home,
  allowedFolders: app.config.sandbox.allowedFolders,
})

/**
 * The real path of `path`, every symlink followed, when an agent may touch it. The file itself need not exist: then its nearest
 * existing folder decides.
 * @param cwd where a relative path starts; the first allowed folder when it is not said
 * @throws SvcError `invalid-input` the path is outside, or is none
 */
export async function resolveInside(reach: Reach, path: string, cwd = reach.allowedFolders[0]): Promise<string> {
  if (cwd === undefined) {
    throw new SvcError('invalid-input', 'This agent may not touch any folder.', {
      hint: 'The owner can list folders in sandbox.allowedFolders.',
    })
  }
  if (path.length === 0 || path.length > longestPath || /\p{Cc}/u.test(path)) {
    throw new SvcError('invalid-input', 'That is not a path: it is empty, too long or has control characters in it.')
  }
  const real = await realPathOrNearest(resolve(cwd, expandTilde(path)), path)
  if (!(await isReachable(reach, real))) throw outside(reach, path)
  return real
}

/**
 * Opens a regular file for reading, never blocking on a pipe or a device. What was opened is checked again, so that a path
 * which somebody swaps for a link in between opens nothing.
 * @throws SvcError `not-found`, `invalid-input`
 */
export async function openInside(reach: Reach, path: string, cwd?: string): Promise<OpenedFile> {
  const real = await resolveInside(reach, path, cwd)
  requireRegular(await lstat(real).catch(explain(path)), path)
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(real, flags).catch(explain(path))
  try {
    const stats = requireRegular(await handle.stat(), path)
    if (!(await isReachable(reach, await pathOfOpened(handle, stats, real))) || (await isHardLinkIntoHome(reach, stats))) {
      throw outside(reach, path)
    }
    return {handle, stats, path: real}
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Whether an agent may touch this real path. */
export async function isReachable(reach: Reach, real: string): Promise<boolean> {
  const home = await realPathOrNearest(reach.home, reach.home)
  const folders = await Promise.all(reach.allowedFolders.map((folder) => realPathOrNearest(folder, folder)))
  if (isWithin(home, real)) {
    return !isPrivate(home, real) && folders.some((folder) => folder !== home && isWithin(home, folder) && isWithin(folder, real))
  }
  return !systemFolders.some((folder) => isWithin(folder, real)) && folders.some((folder) => isWithin(folder, real))
}

/** The words of a file system error, about the path as it was asked for. */
export function explain(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new SvcError('not-found', `There is no "${path}".`, {cause: error})
    const reason = reasons[error.code ?? ''] ?? `the system says ${error.code ?? error.message}`
    throw new SvcError('invalid-input', `"${path}" cannot be used: ${reason}.`, {cause: error})
  }
}

const reasons: Record<string, string> = {
  EACCES: 'the system does not permit it',
  EPERM: 'the system does not permit it',
  ELOOP: 'its links lead in a circle or were changed meanwhile',
  ENAMETOOLONG: 'a name in it is too long',
}

export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function expandTilde(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
}

/** @param asked the path as it was asked for, for the words of an error */
async function realPathOrNearest(path: string, asked: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') explain(asked)(error as NodeJS.ErrnoException)
  }
  // A link whose target is missing would be followed by whoever creates the file, to wherever it leads.
  if (await lstat(path).catch(() => undefined)) throw new SvcError('invalid-input', `"${asked}" leads over a link to nowhere.`)
  return join(await realPathOrNearest(dirname(path), asked), basename(path))
}

function isPrivate(home: string, real: string): boolean {
  const entry = relative(home, real).split(sep)[0] ?? ''
  return privateEntries.some((name) => entry.startsWith(name))
}

/** Linux tells the path behind a descriptor; elsewhere the path must still lead to the very file that was opened. */
async function pathOfOpened(handle: FileHandle, stats: Stats, real: string): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const now = await lstat(real)
  if (now.ino !== stats.ino || now.dev !== stats.dev)
    throw new SvcError('invalid-input', 'The file was replaced while it was opened.')
  return realpath(real)
}

/** A second name of `.env` or the store inside an allowed folder has no link to follow: only its inode tells. */
async function isHardLinkIntoHome(reach: Reach, stats: Stats): Promise<boolean> {
  if (stats.nlink < 2) return false
  const names = await readdir(reach.home).catch(() => [])
  const entries = await Promise.all(names.map((name) => lstat(join(reach.home, name)).catch(() => undefined)))
  return entries.some((entry) => entry?.isFile() && entry.ino === stats.ino && entry.dev === stats.dev)
}

function requireRegular(stats: Stats, path: string): Stats {
  if (stats.isFile()) return stats
  if (stats.isDirectory()) throw new SvcError('invalid-input', `"${path}" is a folder.`, {hint: 'Use list for folders.'})
  throw new SvcError('invalid-input', `"${path}" is not a regular file.`)
}

function outside(reach: Reach, path: string): SvcError {
  return new SvcError(
    'invalid-input',
    `"${path}" is outside the folders this agent may touch: ${reach.allowedFolders.join(', ')}.`,
    {
      hint: 'The owner can add folders to sandbox.allowedFolders; the service home itself stays closed.',
    },
  )
}
