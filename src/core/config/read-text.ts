import {constants, lstat, open} from 'node:fs/promises'
import {SvcError} from '../errors.js'
import {errorCode} from './home.js'

/** As much as one request body may hold, so that what can be saved over HTTP can be read back. */
const maxBytes = 1024 * 1024

interface TextFile {
  text: string
  /** Whether other users may read it. */
  shared: boolean
}

/**
 * Reads a small text file written by a person: UTF-8, a byte order mark tolerated.
 *
 * @returns undefined when there is no such file
 * @throws SvcError `bad-config` for anything else than such a text
 */
export async function readText(file: string): Promise<TextFile | undefined> {
  const content = await readBytes(file)
  if (content === undefined) return undefined
  const {bytes, mode} = content
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (utf16) throw unreadable(file, 'is UTF-16', 'Save it as UTF-8.')
  if (bytes.includes(0)) throw unreadable(file, 'is not a text file', 'It holds binary data; restore it or remove it.')
  try {
    return {text: new TextDecoder('utf-8', {fatal: true}).decode(bytes), shared: (mode & 0o077) !== 0}
  } catch (cause) {
    throw unreadable(file, 'is not valid UTF-8', 'Save it as UTF-8.', cause)
  }
}

async function readBytes(file: string): Promise<{bytes: Buffer; mode: number} | undefined> {
  try {
    // O_NONBLOCK, so that a named pipe in its place is refused instead of waited for.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await handle.stat()
    if (!found.isFile()) throw unreadable(file, 'is not a file', 'Put a text file in its place, or nothing.')
    if (found.size > maxBytes) {
      const size = (found.size / maxBytes).toFixed(1)
      throw unreadable(file, `is too large (${size} MiB)`, 'It may have 1 MiB at most.')
    }
    return {bytes: await handle.readFile(), mode: found.mode}
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' && !(await isLink(file))) return undefined
    if (cause instanceof SvcError) throw cause
    throw unreadable(file, `cannot be read (${errorCode(cause) ?? cause})`, 'Make it a file that you can read.', cause)
  }
}

/** A link that leads nowhere is not "no configuration": without its token the dashboard would stand open. */
async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

function unreadable(file: string, what: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('bad-config', `${file} ${what}.`, {hint, cause})
}
