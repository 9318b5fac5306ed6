import type {Log} from './log.js'
import {createLogFile} from './log-file.js'
import {jsonLine, type LogLevel, type LogLine, prettyLine} from './log-line.js'
import {redactor} from './redact.js'
import {sanitizer} from './sanitize.js'

interface LogOptions {
  /** Lines below it are dropped. */
  level: LogLevel
  /** Absolute path of the log file; without it nothing is kept. */
  file?: string
  /** Size at which the file is rotated. */
  maxMb: number
  /** How long rotated files are kept. */
  days: number
  /** Values that must never be written, see `loadConfig`. */
  secrets: Iterable<string>
  /** Whether, and how, lines go to stderr too. */
  stderr?: 'pretty' | 'json' | 'off'
}

const levels: LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Written by the log itself; a field of that name gets a `_` behind it. */
const reserved = new Set(['level', 'time', 'pid', 'msg'])

export function createLog({level: lowest, file, maxMb, days, secrets, stderr = 'off'}: LogOptions): Log {
  // Built at the first line: most commands log nothing.
  let sanitize: ReturnType<typeof sanitizer> | undefined
  const clean = (value: unknown) => {
    sanitize ??= sanitizer(redactor(secrets))
    return sanitize(value)
  }

  const toStderr = (line: LogLine) => {
    if (stderr !== 'off') process.stderr.write(`${stderr === 'json' ? jsonLine(line) : prettyLine(line)}\n`)
  }
  const lineOf = (level: LogLevel, message: string, fields: Record<string, unknown> = {}): LogLine => ({
    level,
    time: new Date().toISOString(),
    message: String(clean(message)),
    fields: withoutReserved(clean(fields)),
  })
  const onFailure = (error: unknown) =>
    toStderr(lineOf('error', 'The log file cannot be written; lines are lost.', {file, error}))
  const logFile = file === undefined ? undefined : createLogFile({file, maxMb, days, onFailure})

  const at = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    if (levels.indexOf(level) < levels.indexOf(lowest)) return
    const line = lineOf(level, message, fields)
    toStderr(line)
    logFile?.write(line)
  }
  return {debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), close: async () => logFile?.close()}
}

function withoutReserved(fields: unknown): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [reserved.has(key) ? `${key}_` : key, value]))
}
