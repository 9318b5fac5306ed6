type Fields = Record<string, unknown>

/** Structured log. Every string that reaches it is redacted of the secrets the process knows, and escaped. */
export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** Resolves when what was logged is written. */
  close(): Promise<void>
}
