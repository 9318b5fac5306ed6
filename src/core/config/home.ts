import {access, chmod, constants, mkdir, stat} from 'node:fs/promises'
import {dirname, join, resolve} from 'node:path'
import {SvcError} from '../errors.js'

type Env = Record<string, string | undefined>

/**
 * The folder that holds everything of one service: `SVC_HOME`, else `~/.svc`. Nothing is created.
 *
 * @throws SvcError `bad-config` when neither variable says where
 */
export function serviceHome(env: Env): string {
  if (env.SVC_HOME) return resolve(env.SVC_HOME)
  return join(userHome(env), '.svc')
}

/** The home of the person, what `~` means. @throws SvcError `bad-config` */
export function userHome(env: Env): string {
  const home = env.HOME || env.USERPROFILE
  if (home) return resolve(home)
  throw new SvcError('bad-config', 'The service home is unknown: neither SVC_HOME nor HOME is set.', {
    hint: 'Set SVC_HOME to the folder svc may keep its files in.',
  })
}

/**
 * Makes sure the home is a folder of ours that nobody else can read. A symbolic link is followed; what counts is where it leads.
 *
 * @returns warnings: what was wrong and is mended
 * @throws SvcError `storage-unavailable` when it cannot be created, is not ours or cannot be written
 */
export async function ensureHome(home: string): Promise<string[]> {
  try {
    await makeFolder(home)
    const found = await stat(home)
    if (!found.isDirectory()) throw unusable(home, 'it is not a folder')
    const self = process.getuid?.()
    if (self !== undefined && found.uid !== self) throw foreign(home, found.uid, self)
    const warnings = found.mode & 0o077 ? [await tighten(home, found.mode)] : []
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK)
    return warnings
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    const code = errorCode(cause)
    const reason = (code && reasons[code]) ?? (cause instanceof Error ? cause.message : String(cause))
    throw unusable(home, reason, cause)
  }
}

/** Makes a folder, and those above it, for the owner alone. `mkdir` with `recursive` never returns for a place like `/proc/x`. */
export async function makeFolder(folder: string): Promise<void> {
  if (await exists(folder)) return
  await makeFolder(dirname(folder))
  await mkdir(folder, 0o700).catch((error) => {
    // Another process was faster.
    if (errorCode(error) !== 'EEXIST') throw error
  })
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function tighten(home: string, mode: number): Promise<string> {
  await chmod(home, 0o700)
  return `${home} could be opened by other users (mode ${(mode & 0o777).toString(8)}); it is 700 now.`
}

function foreign(home: string, owner: number, self: number): SvcError {
  return new SvcError('storage-unavailable', `The service home ${home} belongs to another user (uid ${owner}, not ${self}).`, {
    hint: 'Run svc as its owner, or set SVC_HOME to a folder of your own.',
  })
}

const reasons: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'it cannot be created there',
  ELOOP: 'its symbolic links go round in a circle',
}

function unusable(home: string, reason: string, cause?: unknown): SvcError {
  return new SvcError('storage-unavailable', `The service home ${home} cannot be used: ${reason}.`, {
    hint: 'Make it a folder you can write, or set SVC_HOME to another one.',
    cause,
  })
}

/** The `code` of a system error, `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
