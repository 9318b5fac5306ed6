/**
 * Compiles a glob of `*`, `**`, `?`, `[abc]` and `{a,b}` to a test on paths with `/`. Its work is bounded by pattern × path: the
 * patterns come from a model, and the libraries' regular expressions can be made to backtrack for minutes in the process that
 * serves everyone.
 * @throws RangeError too many alternatives
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map((alternative) => alternative.split('/').map(tokenize))
  return (path) => {
    const segments = path.split('/').map((segment) => [...segment])
    return alternatives.some((alternative) => matchSegments(alternative, segments))
  }
}

const mostAlternatives = 64

function expandBraces(pattern: string): string[] {
  let expanded = [pattern]
  for (;;) {
    const next = expanded.flatMap(expandInnermost)
    if (next.length > mostAlternatives) throw new RangeError(`The pattern has more than ${mostAlternatives} alternatives.`)
    if (next.length === expanded.length && next.every((alternative, at) => alternative === expanded[at])) return expanded
    expanded = next
  }
}

function expandInnermost(pattern: string): string[] {
  const braces = /\{([^{}]*,[^{}]*)\}/.exec(pattern)
  if (!braces) return [pattern]
  const before = pattern.slice(0, braces.index)
  const after = pattern.slice(braces.index + braces[0].length)
  return (braces[1] ?? '').split(',').map((choice) => before + choice + after)
}

type Token = {kind: 'star'} | {kind: 'any'} | {kind: 'one'; characters: string; negated: boolean}
type Segment = 'globstar' | Token[]

function tokenize(segment: string): Segment {
  if (segment === '**') return 'globstar'
  const tokens: Token[] = []
  for (const [part] of segment.matchAll(/\*+|\?|\[[!^]?[^\]]+\]|[\s\S]/gu)) {
    if (part.startsWith('*')) tokens.push({kind: 'star'})
    else if (part === '?') tokens.push({kind: 'any'})
    else if (part.length > 2 && part.startsWith('[')) tokens.push(characterClass(part))
    else tokens.push({kind: 'one', characters: part, negated: false})
  }
  return tokens
}

function characterClass(part: string): Token {
  const negated = part[1] === '!' || part[1] === '^'
  const listed = part.slice(negated ? 2 : 1, -1)
  const characters = listed.replace(/([^-])-([^-])/gu, (_range, from: string, to: string) => between(from, to))
  return {kind: 'one', characters, negated}
}

function between(from: string, to: string): string {
  const first = from.codePointAt(0) ?? 0
  const length = Math.min(Math.max((to.codePointAt(0) ?? 0) - first + 1, 0), 256)
  return String.fromCodePoint(...Array.from({length}, (_, at) => first + at))
}

function matchSegments(pattern: Segment[], path: string[][]): boolean {
  return matchWithStars(
    pattern,
    path,
    (part) => part === 'globstar',
    (part, segment) => part !== 'globstar' && matchName(part, segment),
  )
}

function matchName(tokens: Token[], name: string[]): boolean {
  return matchWithStars(
    tokens,
    name,
    (token) => token.kind === 'star',
    (token, character) =>
      token.kind === 'any' || (token.kind === 'one' && token.characters.includes(character) !== token.negated),
  )
}

/** Greedy wildcard matching: only the last star ever has to be tried again, so the work is at most pattern × text. */
function matchWithStars<Part, Item>(
  pattern: readonly Part[],
  text: readonly Item[],
  isStar: (part: Part) => boolean,
  matches: (part: Part, item: Item) => boolean,
): boolean {
  let at = 0
  let star = -1
  let starTook = 0
  for (let next = 0; next < text.length; ) {
    const part = pattern[at]
    const item = text[next] as Item
    if (part !== undefined && isStar(part)) {
      star = at++
      starTook = next
    } else if (part !== undefined && matches(part, item)) {
      at++
      next++
    } else if (star >= 0) {
      at = star + 1
      next = ++starTook
    } else {
      return false
    }
  }
  return pattern.slice(at).every(isStar)
}
