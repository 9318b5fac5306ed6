import {once} from 'node:events'
import {createReadStream, fstatSync} from 'node:fs'
import {SvcError} from '../core/errors.js'

/** More than the longest message has in UTF-8; `yes | svc message` must end. */
const mostBytes = 2_000_000
/** How long stdin may stay silent before someone is told that it is being waited for. */
const patienceMs = 1000
/** How long words wait for the first byte on stdin: over ssh, say, it is open and nobody means to write. `-f -` waits for ever. */
const firstByteMs = 3000

interface Sources {
  words: string[]
  /** Path of a text file, `-` for stdin. */
  file: string | undefined
  /** Told while stdin keeps the command waiting. */
  say(text: string): void
}

/**
 * The message: the words of the command line, and after them what the file or else stdin holds.
 *
 * @throws SvcError `invalid-input` nothing was given, or it is no text; `not-found` no such file; `too-large`
 */
export async function readMessage({words, file, say}: Sources): Promise<string> {
  const typed = words.join(' ')
  const rest = await readRest({words, file, say})
  const text = [typed, rest].filter((part) => part.trim() !== '').join('\n\n')
  if (text !== '') return text
  throw new SvcError('invalid-input', 'There is no message to send.', {
    hint: 'svc message "your question"   (or pipe it in, or -f FILE)',
    cause: new Error('Neither words, nor a file, nor piped input was given, or they are empty.'),
  })
}

async function readRest({words, file, say}: Sources): Promise<string> {
  if (file !== undefined && file !== '-') return readFile(file)
  if (file === undefined && !isPiped()) return ''
  if (file === undefined && words.length > 0 && !(await hasInput())) {
    say(`Nothing came on stdin within ${firstByteMs / 1000} s; going on without it. To wait for it: -f -`)
    process.stdin.destroy()
    return ''
  }
  return readStdin(say)
}

/** Whether stdin has something to read, or its end, before patience is over. */
async function hasInput(): Promise<boolean> {
  const signal = AbortSignal.timeout(firstByteMs)
  return once(process.stdin, 'readable', {signal}).then(
    () => true,
    () => !signal.aborted,
  )
}

/** Whether someone feeds stdin. A terminal or /dev/null feeds nothing. */
function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    // It was closed by whoever started us.
    return false
  }
}

async function readStdin(say: (text: string) => void): Promise<string> {
  const timer = setTimeout(() => say('Reading the rest of the message from stdin …'), patienceMs)
  try {
    return await decode(process.stdin, 'The input on stdin')
  } finally {
    clearTimeout(timer)
  }
}

async function readFile(path: string): Promise<string> {
  try {
    return await decode(createReadStream(path), path)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    const {code} = cause as NodeJS.ErrnoException
    const hint = 'svc message -f FILE, with the path of a text file'
    if (code === 'ENOENT') throw new SvcError('not-found', `There is no file ${path}.`, {hint})
    throw new SvcError('invalid-input', `${path} cannot be read.`, {hint, cause})
  }
}

/** UTF-8 with lines that end in LF; a byte order mark and the last line's end are not part of the message. */
async function decode(stream: AsyncIterable<Buffer>, name: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new SvcError('too-large', `${name} is too long for a message.`, {hint: 'Let the agent read the file instead.'})
  }
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(Buffer.concat(chunks))
    return text.replaceAll('\r\n', '\n').replace(/\n$/, '')
  } catch {
    throw new SvcError('invalid-input', `${name} is not a text in UTF-8.`, {
      hint: 'Convert it first, or let the agent read the file.',
    })
  }
}
