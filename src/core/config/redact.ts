/** Takes secrets out of a text and puts `[REDACTED]` in their place. */
export type Redactor = (text: string) => string

const redacted = '[REDACTED]'

/**
 * What keys of known services look like, wherever they turn up. Each alternative starts at the beginning of a word and repeats one
 * class of characters, so that the time stays proportional to the length of the text.
 */
const shapes = [
  /sk-[A-Za-z0-9_-]{16,}/,
  /gsk_[A-Za-z0-9]{20,}/,
  /xai-[A-Za-z0-9]{20,}/,
  /gh[oprsu]_[A-Za-z0-9]{20,}/,
  /github_pat_[A-Za-z0-9_]{20,}/,
  /xox[abeprs]-[A-Za-z0-9-]{10,}/,
  /AIza[A-Za-z0-9_-]{30,}/,
  /AKIA[A-Z0-9]{16}/,
  /eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/,
]
/** Telegram writes its own right after `bot` in addresses. */
const botToken = /(?<!\d)\d{6,12}:[A-Za-z0-9_-]{30,}/
const privateKey = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*/

/** What stands in front stays readable: the header's name, `Bearer`, the user of an address, the parameter's name. */
const introductions = [
  /\b(?:[Aa]uthorization|AUTHORIZATION|[Xx]-[Aa][Pp][Ii]-[Kk]ey)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:[A-Z][a-z]{4,5} )?(?=[^\s"']{6})/,
  /\b[Bb]earer[ \t]{1,4}(?=[A-Za-z._~+/=-]*\d|[^\s"']{20})/,
  /(?<=:\/\/)[^\s/:@]{0,128}:(?=[^\s/@"']{1,256}@)/,
  /[?&](?:api_?key|key|token|access_token|auth|secret|password)=/,
]

const patterns = [
  privateKey.source,
  `(?<![A-Za-z0-9_-])(?:${either(shapes)})`,
  botToken.source,
  `(${either(introductions)})[^\\s"'&,;@]+`,
]

/** Knows only what keys look like. */
export const redact: Redactor = redactor([])

/**
 * Knows these values too, also as they are written inside JSON or an address. A value of four to seven characters is taken out only
 * where it stands alone, a shorter one never: it would tear ordinary words apart.
 */
export function redactor(secrets: Iterable<string>): Redactor {
  const values = new Set(
    [...secrets].flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]),
  )
  const known = [...values]
    .filter((value) => value.length >= 4)
    .sort((a, b) => b.length - a.length)
    .map((value) => (value.length < 8 ? `(?<![A-Za-z0-9])${escapeRegExp(value)}(?![A-Za-z0-9])` : escapeRegExp(value)))
  const pattern = new RegExp([...known, ...patterns].join('|'), 'g')
  return (text) => text.replace(pattern, (_match, introduction: string | undefined) => `${introduction ?? ''}${redacted}`)
}

function either(expressions: RegExp[]): string {
  return expressions.map(({source}) => source).join('|')
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
