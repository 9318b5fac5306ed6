export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line of the log, redacted and escaped. */
export interface LogLine {
  level: LogLevel
  /** ISO 8601, UTC. */
  time: string
  message: string
  fields: Record<string, unknown>
}

/** As the log file has it. */
export function jsonLine({level, time, message, fields}: LogLine): string {
  return JSON.stringify({level, time, pid: process.pid, ...fields, msg: message})
}

/** For people: the fields after the message, the stack of an error below. */
export function prettyLine({level, time, message, fields}: LogLine): string {
  const shown = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${JSON.stringify(isError(value) ? {...value, stack: undefined} : value)}`,
  )
  const stacks = Object.values(fields).flatMap((value) => (isError(value) ? value.stack.slice(1) : []))
  return `${time.slice(11, 19)} ${level.padEnd(5)} ${message}${shown.join('')}${stacks.map((frame) => `\n  ${frame}`).join('')}`
}

function isError(value: unknown): value is {stack: string[]} {
  return typeof value === 'object' && value !== null && 'stack' in value && Array.isArray(value.stack)
}
