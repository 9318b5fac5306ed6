import {chmod, readdir, stat, unlink} from 'node:fs/promises'
import {basename, dirname, extname, join} from 'node:path'
import type {Logger} from 'pino'
import type {RotatingFileStream} from 'rotating-file-stream'
import {makeFolder} from './home.js'
import type {LogLine} from './log-line.js'

interface LogFileOptions {
  /** Absolute path. */
  file: string
  /** Size at which it is rotated. */
  maxMb: number
  /** How long rotated files are kept. */
  days: number
  /** Called when lines are lost because the file cannot be written, once each time that begins. */
  onFailure(error: unknown): void
}

export interface LogFile {
  write(line: LogLine): void
  /** Resolves when what was written is in the file, or cannot be. */
  close(): Promise<void>
}

const maxRotatedFiles = 20
const maxWaiting = 1000
const retryAfterMs = 5000

/** A JSON line for each log line. The first one opens the file and loads the packages for it: most commands log nothing. */
export function createLogFile(options: LogFileOptions): LogFile {
  let open: OpenLogFile | undefined
  let opening: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let waiting: LogLine[] = []

  const fail = (error: unknown) => {
    open = undefined
    opening = undefined
    if (Date.now() - failedAt > retryAfterMs) options.onFailure(error)
    failedAt = Date.now()
    waiting = []
  }
  const start = async () => {
    try {
      open = await openLogFile(options, fail)
      for (const line of waiting.splice(0)) open.write(line)
    } catch (error) {
      fail(error)
    }
  }

  return {
    write(line) {
      if (open) return open.write(line)
      if (Date.now() - failedAt < retryAfterMs || waiting.length >= maxWaiting) return
      waiting.push(line)
      opening ??= start()
    },
    async close() {
      await opening
      await open?.close()
      open = undefined
      opening = undefined
    },
  }
}

type OpenLogFile = LogFile

async function openLogFile({file, maxMb, days}: LogFileOptions, onError: (error: unknown) => void): Promise<OpenLogFile> {
  await makeFolder(dirname(file))
  // A file from elsewhere, from a backup for instance, may be readable by others.
  await chmod(file, 0o600).catch(() => undefined)
  await prune(file, days)
  const [{default: pino}, {createStream}] = await Promise.all([import('pino'), import('rotating-file-stream')])

  const stream = createStream(rotatedName(file), {path: dirname(file), size: `${Math.ceil(maxMb * 1024)}K`, mode: 0o600})
  stream.on('rotated', () => void prune(file, days))
  stream.on('error', onError)
  // The time of a line is when it was logged, which may be before the file was open.
  const settings = {level: 'debug', timestamp: false, base: {pid: process.pid}, formatters: {level: (level: string) => ({level})}}
  const logger: Logger = pino(settings, stream)
  return {
    write: ({level, time, message, fields}) => logger[level]({time, ...fields}, message),
    close: () => end(stream),
  }
}

function end(stream: RotatingFileStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) return resolve()
    stream.once('close', resolve)
    stream.end()
  })
}

/** `svc.log`, and `svc-20261121T031500-1.log` when it was rotated. */
function rotatedName(file: string) {
  const {stem, extension} = nameParts(file)
  return (time: number | Date | null, index?: number) => {
    if (!(time instanceof Date)) return basename(file)
    const stamp = time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    return `${stem}-${stamp}-${index}${extension}`
  }
}

function nameParts(file: string): {stem: string; extension: string} {
  const extension = extname(file)
  return {stem: basename(file, extension), extension}
}

/** Removes rotated files that are too old or too many. A failure is left for the next time: logging goes on. */
async function prune(file: string, days: number): Promise<void> {
  const {stem, extension} = nameParts(file)
  const folder = dirname(file)
  try {
    const names = (await readdir(folder)).filter(
      (name) =>
        name.startsWith(`${stem}-`) && /^\d{8}T\d{6}-\d+$/.test(name.slice(stem.length + 1, name.length - extension.length)),
    )
    const oldest = Date.now() - days * 86_400_000
    for (const [age, name] of names.sort().reverse().entries()) {
      const path = join(folder, name)
      if (age >= maxRotatedFiles || (await stat(path)).mtimeMs < oldest) await unlink(path)
    }
  } catch {
    // Another process may have removed the same file.
  }
}
