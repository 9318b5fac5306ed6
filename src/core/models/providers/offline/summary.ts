import type {ModelMessage} from 'ai'
import type {StepRequest} from '../../provider.js'
import {textOf} from './messages.js'
import {offlineNotice} from './notice.js'

const mostLines = 24
const longestExtract = 160
const heading = 'Extracts of the conversation, chosen by the offline model without understanding it:'
/** What an earlier reply or summary of this model said about itself, and not about the conversation. */
const ownWords = [heading, offlineNotice]

/** A request to compact a conversation: without tools, and the system prompt asks to summarize the conversation. */
export function isSummaryRequest({system, tools}: Pick<StepRequest, 'system' | 'tools'>): boolean {
  return (
    tools.length === 0 &&
    /\bsummar(?:y|i[sz]e)/i.test(system) &&
    /\b(?:conversation|messages|history|session|dialogue|chat)\b/i.test(system)
  )
}

/** The first sentence of each message, the first and the newest of them. It understands nothing, and says so. */
export function summarize(messages: readonly ModelMessage[]): string {
  const lines = extracts(messages)
  const kept = lines.length <= mostLines ? lines : [...lines.slice(0, 4), '…', ...lines.slice(4 - mostLines)]
  return [heading, ...kept].join('\n')
}

function extracts(messages: readonly ModelMessage[]): string[] {
  const [only] = messages
  // A whole transcript inside one message: its lines are the units.
  if (only && messages.length === 1) {
    const lines = textOf(only).split('\n')
    return lines
      .filter((line) => !ownWords.includes(line.trim()))
      .map(firstSentence)
      .filter(Boolean)
  }
  return messages
    .filter(({role}) => role === 'user' || role === 'assistant')
    .map((message) => ({role: message.role, text: firstSentence(textOf(message))}))
    .filter(({text}) => text !== '')
    .map(({role, text}) => `- ${role}: ${text}`)
}

function firstSentence(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  const sentence = /^.+?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line
  const characters = [...sentence]
  return characters.length <= longestExtract ? sentence : `${characters.slice(0, longestExtract).join('')}…`
}
