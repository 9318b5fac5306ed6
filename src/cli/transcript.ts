import {styleText} from 'node:util'
import type {StoredMessage} from '../core/store/store.js'
import {callText} from './call-text.js'
import {oneLine, plain} from './plain.js'
import {forProgram, forReader} from './table.js'

const names: Record<string, string> = {user: 'You', assistant: 'Assistant', tool: 'Tool', system: 'System'}
const longestResult = 200

/** A conversation to read, in the order in which it was said. What tools answered is cut to a line. */
export function formatTranscript(messages: readonly StoredMessage[], terminal: boolean): string {
  return messages.map((message) => formatMessage(message, terminal)).join('\n')
}

function formatMessage({message, partial, at}: StoredMessage, terminal: boolean): string {
  const when = terminal ? forReader(new Date(at)) : forProgram(new Date(at))
  const heading = `${names[message.role] ?? message.role} · ${when}${partial ? ' · broke off' : ''}`
  return `${terminal ? styleText('dim', heading) : heading}\n${plain(contentOf(message))}\n`
}

function contentOf({content}: StoredMessage['message']): string {
  if (typeof content === 'string') return content
  return content.map(partText).filter(Boolean).join('\n')
}

function partText(part: Exclude<StoredMessage['message']['content'], string>[number]): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'tool-call':
      return `→ ${callText(part.toolName, part.input)}`
    case 'tool-result': {
      const result = oneLine('value' in part.output ? forResult(part.output.value) : part.output.type)
      return `← ${part.toolName}: ${result.length <= longestResult ? result : `${result.slice(0, longestResult - 1)}…`}`
    }
    default:
      return ''
  }
}

const forResult = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
