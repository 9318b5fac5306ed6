import {constants} from 'node:fs'
import {mkdir, open, readdir, readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {SvcError} from '../errors.js'
import {foldText} from './fold-text.js'

/**
 * What an agent remembers: plain files under `agents/<agentId>/memory/` in the service home. One rule: the agent only ever appends
 * bullet lines to the note of the day (`2026-11-21.md`); `MEMORY.md` and everything else is the owner's to write and tidy up.
 */
export interface Note {
  /** The line without its bullet. */
  text: string
  /** Name of the file in the memory folder. */
  file: string
}

/** Characters of one note. */
export const longestNote = 2000
const largestNoteFile = 256 * 1024
const largestFileRead = 1024 * 1024
const mostFilesRead = 400
const mostRecalled = 20
const ownersFile = 'MEMORY.md'

/**
 * Appends one line to the note of the day, in one write, so that two processes never mix their lines.
 * @throws SvcError `invalid-input` nothing is left of the text; `too-large` the note of the day is full
 */
export async function remember(home: string, agentId: string, text: string, now: Date): Promise<Note> {
  const line = oneLine(text)
  if (line === '') throw new SvcError('invalid-input', 'There is no text to remember.')
  const folder = memoryFolder(home, agentId)
  await mkdir(folder, {recursive: true, mode: 0o700})
  const [date, minute] = localTime(now)
  const file = `${date}.md`
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(join(folder, file), flags, 0o600)
  try {
    const {size} = await handle.stat()
    if (size > largestNoteFile) throw new SvcError('too-large', `The note ${file} is full.`, {hint: 'The owner can shorten it.'})
    // An editor may have left the last line without its end.
    const last = size === 0 ? '\n' : (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString()
    await handle.write(`${last === '\n' ? '' : '\n'}- ${date} ${minute} ${line}\n`)
    await handle.sync()
    return {text: `${date} ${minute} ${line}`, file}
  } finally {
    await handle.close()
  }
}

/**
 * The notes that contain every word of `query`, in any order, case and accents aside: most occurrences first, then the newest.
 * An empty query gives the newest notes.
 */
export async function recall(home: string, agentId: string, query: string): Promise<Note[]> {
  const words = foldText(query).split(/\s+/).filter(Boolean)
  const found = (await readNotes(home, agentId)).map((note) => ({note, score: scoreOf(foldText(note.text), words)}))
  return found
    .filter(({score}) => score !== undefined)
    .sort((left, right) => (right.score ?? 0) - (left.score ?? 0))
    .slice(0, mostRecalled)
    .map(({note}) => ({...note, text: withoutBullet(note.text)}))
}

/** What the system prompt says of the memory: `MEMORY.md`, then the newest notes, whole lines within `maxCharacters`; '' when empty. */
export async function readMemory(home: string, agentId: string, maxCharacters = 8000): Promise<string> {
  const lines: string[] = []
  let length = 0
  for (const {text, file} of await readNotes(home, agentId, 'owner-first')) {
    const line = file === ownersFile ? text : `- ${text}`
    length += line.length + 1
    if (length > maxCharacters) return [...lines, '[more in the memory: use recall]'].join('\n')
    lines.push(line)
  }
  return lines.join('\n')
}

/** @throws SvcError `invalid-input` the id could lead out of the folder */
export function memoryFolder(home: string, agentId: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(agentId)) throw new SvcError('invalid-input', 'That is not the id of an agent.')
  return join(home, 'agents', agentId, 'memory')
}

/** Undefined when a word is missing; else how often the words occur. */
function scoreOf(text: string, words: string[]): number | undefined {
  const counts = words.map((word) => text.split(word).length - 1)
  return counts.includes(0) ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** Every line of the memory: dated notes newest first, the owner's file at the end of them, or before them. */
async function readNotes(home: string, agentId: string, order: 'newest-first' | 'owner-first' = 'newest-first'): Promise<Note[]> {
  const folder = memoryFolder(home, agentId)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.md') && name !== ownersFile)
  const dated = names.sort().reverse().slice(0, mostFilesRead)
  const files = order === 'owner-first' ? [ownersFile, ...dated] : [...dated, ownersFile]
  const notes = await Promise.all(files.map((file) => readNoteFile(folder, file)))
  return notes.flat()
}

/** Within a dated note the newest line comes first; the owner's file keeps its order. A file that cannot be read has no lines. */
async function readNoteFile(folder: string, file: string): Promise<Note[]> {
  const path = join(folder, file)
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile() || stats.size > largestFileRead) return []
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').map((line) => line.trimEnd())
  const filled = lines.filter((line) => line.trim() !== '')
  if (file === ownersFile) return filled.map((text) => ({text, file}))
  return filled.map((text) => ({text: withoutBullet(text), file})).reverse()
}

const withoutBullet = (line: string): string => line.replace(/^\s*[-*] /, '')

/** Control and direction characters could fake further lines, or hide what a line says. */
function oneLine(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\s]+/gu, ' ')
    .trim()
  return [...plain].slice(0, longestNote).join('').trim()
}

/** Date and minute where this machine is. */
function localTime(now: Date): [date: string, minute: string] {
  const two = (value: number) => String(value).padStart(2, '0')
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return [date, `${two(now.getHours())}:${two(now.getMinutes())}`]
}
