export type Intent =
  | {kind: 'call'; tool: string; input: Record<string, unknown>}
  /** Something that will need a tool whose input is not known here. */
  | {kind: 'needs'; tool: string}
  | {kind: 'help' | 'status' | 'unknown'}
  | {kind: 'use-model'; model: string}

/** One line of the grammar: what to type, what it does, and the tool it needs. */
export interface Rule {
  usage: string
  does: string
  tool?: string
  /** It takes a text of any length; the others are not asked about more than a short line. */
  long?: true
  /**
   * @param words without courtesies and the punctuation at the end
   * @param verbatim with them removed only from the beginning
   * @returns undefined when the words are not this rule's
   */
  match(words: string, verbatim: string): Intent | undefined
}

/** In order: the first rule that matches wins. */
export const rules: readonly Rule[] = [
  {
    usage: 'help',
    does: 'this list',
    match: (words) =>
      /^(?:help(?: me)?|commands|what can you do|what do you understand|\/help|\?)$/i.test(words) ? {kind: 'help'} : undefined,
  },
  {
    usage: 'status',
    does: 'what I am and which tools I have',
    match: (words) =>
      /^(?:status|who are you|what are you|which model (?:are you|is this))$/i.test(words) ? {kind: 'status'} : undefined,
  },
  {
    usage: 'what time is it? (in Tokyo)',
    does: 'the date and time, here or elsewhere',
    tool: 'time',
    match: (words) => {
      const found = timeQuestion.exec(words) ?? todayQuestion.exec(words)
      return found ? call('time', {zone: found.groups?.zone?.trim()}) : undefined
    },
  },
  {
    usage: 'remember TEXT',
    does: 'keeps a note for later conversations',
    tool: 'remember',
    long: true,
    match: (words) => {
      const text = /^(?:remember|memorize|memorise|keep in mind|note)(?:\s+(?:that|this))?\s*:?\s+(.+)$/is.exec(words)?.[1]
      return text && !isQuestion(text) ? call('remember', {text: text.trim()}) : undefined
    },
  },
  {
    usage: 'recall WORDS',
    does: 'searches my notes; also: what do you remember about WORDS',
    tool: 'recall',
    match: (words) => {
      const found = recallRequest.exec(words)
      return found ? call('recall', {query: keywords(found.groups?.query)}) : undefined
    },
  },
  {
    usage: 'forget WORDS',
    does: 'removes a note',
    tool: 'forget',
    match: (words) => (/^forget\s/i.test(words) ? {kind: 'needs', tool: 'forget'} : undefined),
  },
  {
    usage: 'search WORDS (in history)',
    does: 'searches our past conversations',
    tool: 'search_history',
    match: (words) => {
      const query = searchRequest.exec(words)?.groups?.query
      return query ? call('search_history', {query: unquotedWhole(query)}) : undefined
    },
  },
  {
    usage: 'read FILE (from line N)',
    does: 'shows a text file',
    tool: 'read',
    match: (words) => {
      const {verb = '', path: named, offset} = readRequest.exec(words)?.groups ?? {}
      const path = pathIn(named)
      // "Show me the weather" is about no file; "read README" is.
      if (path === undefined || !(/read|cat/i.test(verb) || /[./\\~"]/.test(named ?? ''))) return undefined
      return call('read', {path, offset: offset === undefined ? undefined : Number(offset)})
    },
  },
  {
    usage: 'remind me …, every …, list reminders',
    does: 'reminders and schedules',
    tool: 'schedule',
    match: (words) =>
      /^(?:remind me|every|each|(?:list|show)(?: my)? reminders|schedule)\b/i.test(words)
        ? {kind: 'needs', tool: 'schedule'}
        : undefined,
  },
  {
    usage: 'list (FOLDER)',
    does: 'lists a folder',
    tool: 'list',
    match: (words) => {
      const groups = listRequest.exec(words)?.groups
      const path = pathIn(groups?.path)
      return !groups || (groups.path !== undefined && path === undefined) ? undefined : call('list', {path})
    },
  },
  {
    usage: 'find PATTERN (in FOLDER)',
    does: 'finds files by name, such as *.md',
    tool: 'find',
    match: (words) => {
      const groups = findRequest.exec(words)?.groups
      const path = pathIn(groups?.path)
      if (!groups?.pattern || (groups.path !== undefined && path === undefined)) return undefined
      return call('find', {pattern: unquoted(groups.pattern), path})
    },
  },
  {
    usage: 'run COMMAND',
    does: 'runs a shell command',
    tool: 'shell',
    long: true,
    match: (_words, verbatim) => {
      const command = /^(?:(?:run|execute)\s+|\$\s*)(.+)$/is.exec(verbatim)?.[1]
      return command ? call('shell', {command: unquotedWhole(command)}) : undefined
    },
  },
  {
    usage: 'use model MODEL',
    does: 'how to change the model',
    match: (words) => {
      const model =
        /^(?:use|switch to|change to)(?: the)? (?:model\s+(\S+)|(\S+) model)$/i.exec(words) ?? /^\/?model\s+(\S+)$/i.exec(words)
      const name = model?.[1] ?? model?.[2]
      return name ? {kind: 'use-model', model: unquoted(name)} : undefined
    },
  },
]

/** What the user wants, by the first rule that fits. Courtesies, case and the punctuation at the end do not count. */
export function understand(text: string): Intent {
  const verbatim = text.trim().replace(courtesies, '')
  const words = withoutEnd(verbatim.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'))
  for (const rule of rules) {
    // The expressions of the others take their time with long texts, and no phrase of theirs is long.
    const intent = words.length <= longestPhrase || rule.long ? rule.match(words, verbatim) : undefined
    if (intent) return intent
  }
  return {kind: 'unknown'}
}

const longestPhrase = 400
const longestEnd = 40
const courtesies = /^(?:(?:hey|hi|hello|ok|okay|please|can you|could you|would you|will you)\b[,:]?\s+)+(?=\S)/i

const here = '(?: (?:it is|is it|is|today|now|right now|currently|here))*'
const place =
  '(?:\\s+(?:in|at|for)(?: the)?(?: time ?zone)?\\s+(?<zone>[\\p{L}0-9_/+:. -]+?))?(?: (?:today|now|right now|currently))?'
const timeQuestion = new RegExp(
  `^(?:tell me |do you know )?(?:(?:what|which)(?:'s| is)? )?(?:the )?(?:current |local )?(?:time ?zone|time|date|weekday|day of the week|day)${here}${place}$`,
  'iu',
)
const todayQuestion = /^what(?:'s| is)(?: the)? today(?:'s (?:date|day|weekday))?$|^today's (?:date|day)$/i

const recallRequest =
  /^(?:recall|(?:what )?do you remember|what (?:do you know|did i tell you)(?= about| of)|remember(?=\s))(?:\s+(?:about|of))?(?:\s+(?<query>.+))?$/i

const readRequest =
  /^(?<verb>read|cat|show|open|display)(?: me)?(?: the)?(?: file)?\s+(?<path>.+?)(?:\s+from line (?<offset>\d{1,9}))?$/i

const listRequest =
  /^(?:list|ls|dir)(?: (?:the |my |all )?(?:files|folders?|directory|contents?))?(?: (?:in|of|from))?(?: (?:the )?folder)?(?:\s+(?<path>.+))?$/i

const findRequest =
  /^(?:find|locate)(?: (?:the |all |any )?files?)?(?: (?:named|called|matching|like))?\s+(?<pattern>"[^"]+"|\S+)(?:\s+(?:in|under)\s+(?<path>.+))?$/i

const searchRequest =
  /^search(?: (?:in |through )?(?:(?:my|our|the|your) )?(?:past )?(?:history|conversations|chats|messages))?(?: for)?\s+(?<query>.+?)(?:\s+in (?:(?:my|our|the|your) )?(?:past )?(?:history|conversations|chats|messages))?$/i

const call = (tool: string, input: Record<string, unknown>): Intent => ({
  kind: 'call',
  tool,
  input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
})

function withoutEnd(text: string): string {
  const end = text
    .slice(-longestEnd)
    .replace(/,?\s+please[.!?]*$/i, '')
    .replace(/(?<=\S)\s*[!?\u2026]+$/u, '')
    .replace(/(?<=[^\s./])[.!?\u2026]+$/u, '')
  return text.slice(0, -longestEnd) + end
}

/** "remember what I said" asks; "remember that tea is hot" tells. */
const isQuestion = (text: string): boolean => /^(?:what|when|where|who|whom|whose|which|why|how|if|whether)\b/i.test(text)

const fillers = new Set('a an the my our your me i is are was do about of what when where who how'.split(' '))

function keywords(query: string | undefined): string | undefined {
  const words = (query ?? '').split(/\s+/).filter((word) => word !== '' && !fillers.has(word.toLowerCase()))
  return words.length === 0 ? undefined : words.join(' ')
}

/** One path: one word, words in quotes, or words with a dot or slash in them. */
function pathIn(words: string | undefined): string | undefined {
  if (words === undefined || words.includes('\n')) return undefined
  const path = unquoted(words)
  return path !== words || !/\s/.test(path) || /[./\\]/.test(path) ? path : undefined
}

const unquoted = (text: string): string => /^(["'`])(.+)\1$/s.exec(text)?.[2] ?? text

/** Quotes around the whole, not those of `"a" and "b"`. */
const unquotedWhole = (text: string): string => /^`([^`]+)`$/s.exec(text)?.[1] ?? text
