/** Flags that every command takes. They are also read before parsing, since a command line that does not parse still has them. */
const baseFlags = ['json', 'quiet', 'verbose', 'no-input', 'yes', 'no-color'] as const

export type BaseFlag = (typeof baseFlags)[number]

/** Whether `--<flag>` stands on the command line, before any `--`. */
export function given(argv: readonly string[], flag: BaseFlag): boolean {
  const end = argv.indexOf('--')
  const at = argv.indexOf(`--${flag}`)
  return at !== -1 && (end === -1 || at < end)
}

export function isBaseFlag(word: string): boolean {
  return baseFlags.some((flag) => word === `--${flag}`)
}
