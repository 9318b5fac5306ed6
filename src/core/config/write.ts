import {copyFile, link, open, readFile, realpath, rename, unlink} from 'node:fs/promises'
import {basename, dirname, extname} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import {type InputIssue, SvcError} from '../errors.js'
import {readEnvFile} from './env-file.js'
import {ensureHome, errorCode} from './home.js'
import {interpret} from './interpret.js'
import {formatKey} from './key-path.js'
import {configFile} from './load.js'
import {parseJson} from './parse-json.js'
import {readText} from './read-text.js'

type Tree = Record<string, unknown>

interface UpdateOptions {
  /** Environment the result is checked with; `.env` adds to it. */
  env?: Record<string, string | undefined>
}

export interface ConfigChange {
  changed: boolean
  /** The file as it was and as it is, as written: references unexpanded. */
  before: Tree
  after: Tree
}

/**
 * Reads `config.json`, lets `change` edit it, checks the result and replaces the file, one process at a time. What `change` does not
 * touch stays as it was: references, unknown keys, the order of keys.
 *
 * @param change edits the draft in place; `setIn` and `unsetIn` help
 * @throws SvcError `bad-config` the file is broken already and stays as it is; `invalid-input` the change does not fit;
 *   `conflict` another process holds the file for half a minute; `storage-unavailable` it cannot be written
 */
export async function updateConfig(
  home: string,
  change: (draft: Tree) => void,
  {env = process.env}: UpdateOptions = {},
): Promise<ConfigChange> {
  await ensureHome(home)
  const file = configFile(home)
  return locked(file, async (stillOurs) => {
    const text = (await readText(file))?.text
    const before = await parseJson(text ?? '{}', file)
    const after = structuredClone(before)
    change(after)
    if (isDeepStrictEqual(before, after)) return {changed: false, before, after}

    await check(home, env, before, after)
    stillOurs()
    await replace(file, after, indentOf(text))
    return {changed: true, before, after}
  })
}

/** A file that was wrong before is named as such; else the change is to blame. */
async function check(home: string, processEnv: Record<string, string | undefined>, before: Tree, after: Tree): Promise<void> {
  const env = {...(await readEnvFile(home)).values, ...processEnv}
  // Any text will do here: whether the entry exists is found out when it is used.
  const surroundings = {home, env, readKeychain: async () => 'an entry of the credential store'}
  const {issues} = await interpret(after, surroundings)
  if (issues.length === 0) return
  const already = (await interpret(before, surroundings)).issues.length > 0
  throw new SvcError(already ? 'bad-config' : 'invalid-input', `${issues.map(sentence).join(' ')} Nothing was written.`, {issues})
}

function sentence({path, message}: InputIssue): string {
  return `${formatKey(path)} ${message}.`
}

async function locked<T>(file: string, work: (stillOurs: () => void) => Promise<T>): Promise<T> {
  const {default: lockfile} = await import('proper-lockfile')
  let lost: Error | undefined
  const release = await lockfile
    .lock(file, {
      realpath: false,
      stale: 10_000,
      update: 2000,
      // Half a minute in all, longer than a lock of a killed process lives.
      retries: {retries: 150, factor: 1.2, minTimeout: 10, maxTimeout: 250, randomize: true},
      onCompromised: (error) => {
        lost = error
      },
    })
    .catch((cause: unknown) => {
      if (errorCode(cause) === 'ELOCKED') {
        throw new SvcError('conflict', `${file} is being changed by another process.`, {
          hint: 'Try again when it is done.',
          cause,
        })
      }
      throw unwritable(file, cause)
    })
  try {
    return await work(() => {
      if (lost) throw new SvcError('conflict', `The lock of ${file} was lost; nothing was written.`, {cause: lost})
    })
  } finally {
    // A lost lock belongs to somebody else by now.
    await release().catch(() => undefined)
  }
}

/**
 * Through conf, which writes beside the file, syncs and renames. Three things are ours: it does not notice when the disk takes only
 * a part, so the result is read back; it does not sync the folder; and its own checks stay off, for they know no `${VAR}`.
 */
async function replace(file: string, content: Tree, indent: string): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const previous = `${target}.previous`
  const serialize = (value: Tree) => `${JSON.stringify(value, undefined, indent)}\n`
  try {
    const kept = await keep(target, previous)
    const {default: Conf} = await import('conf')
    const conf = new Conf<Tree>({
      cwd: dirname(target),
      configName: basename(target, extname(target)),
      fileExtension: extname(target).slice(1),
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
      deserialize: (written) => JSON.parse(written.replace(/^\uFEFF/, '')),
      serialize,
    })
    conf.store = content
    if ((await readFile(target, 'utf8')) !== serialize(content)) {
      if (kept) await rename(previous, target)
      throw new Error('the disk is full')
    }
    await syncFolder(dirname(target))
  } catch (cause) {
    throw unwritable(file, cause)
  } finally {
    await unlink(previous).catch(() => undefined)
  }
}

/** A second name for the file as it is. @returns false when there is no file yet */
async function keep(file: string, previous: string): Promise<boolean> {
  await unlink(previous).catch(() => undefined)
  try {
    await link(file, previous).catch((error) =>
      errorCode(error) === 'ENOENT' ? Promise.reject(error) : copyFile(file, previous),
    )
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** Makes the rename itself survive a power cut. Windows has no such thing and refuses. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

function unwritable(file: string, cause: unknown): SvcError {
  const reason = errorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause))
  return new SvcError('storage-unavailable', `${file} cannot be written (${reason}).`, {
    hint: 'See that the folder is yours and the disk has room; the file is as it was.',
    cause,
  })
}

function indentOf(text: string | undefined): string {
  return /^\{\r?\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
}
