import type {FileHandle} from 'node:fs/promises'
import * as z from 'zod'
import {SvcError} from '../../errors.js'
import {openInside, reachOf} from '../paths.js'
import {tool} from '../tool.js'
import {formatBytes} from '../truncate.js'

const largestFile = 100 * 1024 * 1024
const largestText = 50 * 1024

export const read = tool({
  name: 'read',
  description: 'Read a text file. Relative paths start in your workspace.',
  input: z.object({
    path: z.string().min(1).max(4096),
    offset: z.int().min(1).default(1).describe('First line'),
    limit: z.int().min(1).max(10_000).default(2000).describe('Lines'),
  }),
  idempotent: true,
  risk: () => ({level: 'safe'}),
  async run({path, offset, limit}, context) {
    const {handle, stats} = await openInside(reachOf(context), path)
    try {
      if (stats.size > largestFile)
        throw new SvcError(
          'too-large',
          `"${path}" has ${formatBytes(stats.size)}; files up to ${formatBytes(largestFile)} can be read.`,
        )
      if (await isBinary(handle))
        throw new SvcError('invalid-input', `"${path}" is not a text file (${formatBytes(stats.size)}).`)
      const found = await readLines(handle, stats.size, offset, offset + limit - 1, context.signal)
      return phrase(found, offset)
    } finally {
      await handle.close()
    }
  },
})

interface Lines {
  text: string
  /** The line to go on with; null when the file ends here. */
  next: number | null
  /** How many lines there are, as far as was read. */
  seen: number
  /** Whether the only line of `text` is longer than what may be shown. */
  cut: boolean
}

function phrase({text, next, seen, cut}: Lines, offset: number): string {
  if (text === '') return seen === 0 ? '(the file is empty)' : `(the file has only ${seen} lines)`
  const marks = [
    ...(cut ? [`line ${offset} is cut after ${formatBytes(largestText)}; the rest of it cannot be read`] : []),
    ...(next === null ? [] : [`more follows: read on with offset ${next}`]),
  ]
  return marks.length === 0 ? text : `${text}${text.endsWith('\n') ? '' : '\n'}[${marks.join('; ')}]`
}

/** Lines `first` to `last` as far as they fit into `largestText`, in whole lines; only one that alone is longer is cut. */
async function readLines(handle: FileHandle, size: number, first: number, last: number, signal: AbortSignal): Promise<Lines> {
  const kept: Buffer[] = []
  let keptBytes = 0
  let lineStart = 0
  let line = 1
  let lineIsEmpty = true
  for await (const chunk of chunksOf(handle, size, signal)) {
    for (let start = 0; start < chunk.length; ) {
      if (line > last) return {text: decode(kept), next: line, seen: line, cut: false}
      const newline = chunk.indexOf(10, start)
      const end = newline === -1 ? chunk.length : newline + 1
      if (line >= first) {
        // Copied, because the chunk's memory is used again.
        kept.push(Buffer.from(chunk.subarray(start, end)))
        keptBytes += end - start
        if (keptBytes > largestText) return cutAt(Buffer.concat(kept), lineStart, line)
      }
      lineIsEmpty = newline !== -1
      if (newline !== -1) {
        line++
        lineStart = keptBytes
      }
      start = end
    }
  }
  return {text: decode(kept), next: null, seen: lineIsEmpty ? line - 1 : line, cut: false}
}

/** @param lineStart where the line begins that did not fit */
function cutAt(bytes: Buffer, lineStart: number, line: number): Lines {
  const wholeLines = bytes.subarray(0, lineStart)
  if (lineStart > 0) return {text: decode([wholeLines]), next: line, seen: line, cut: false}
  return {text: decode([bytes.subarray(0, largestText)]), next: line + 1, seen: line, cut: true}
}

/** Up to `size`, so that a file which grows meanwhile ends somewhere. */
async function* chunksOf(handle: FileHandle, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  for (let position = 0; position < size; ) {
    signal.throwIfAborted()
    const {bytesRead} = await handle.read(buffer, 0, Math.min(buffer.length, size - position), position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

async function isBinary(handle: FileHandle): Promise<boolean> {
  const {buffer, bytesRead} = await handle.read(Buffer.alloc(8192), 0, 8192, 0)
  return buffer.subarray(0, bytesRead).includes(0)
}

/** Drops a character that was cut in half at the end. */
const decode = (chunks: Buffer[]): string => new TextDecoder().decode(Buffer.concat(chunks), {stream: true})
