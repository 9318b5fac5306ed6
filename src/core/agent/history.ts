import type {AssistantModelMessage, ModelMessage, ToolModelMessage} from 'ai'
import type {StoredMessage} from '../store/store.js'

/**
 * The history as the model reads it. What the store keeps is never changed: a broken-off reply is marked, and a tool call
 * without a result gets one that says so, since no provider accepts a history with an open call.
 */
export function toModelHistory({summary, messages, notes = ''}: History): ModelMessage[] {
  const start: ModelMessage[] = []
  // Not in the system prompt: an agent may have noted words that a stranger wrote.
  if (notes) start.push({role: 'user', content: `[Notes you took in earlier conversations]\n${notes}`})
  if (summary !== null) start.push({role: 'user', content: `[What was said before, in short]\n${summary}`})
  return closeOpenCalls([...start, ...messages.map(({message, partial}) => (partial ? markPartial(message) : message))])
}

interface History {
  summary: string | null
  messages: StoredMessage[]
  /** The agent's memory; empty when there is none. */
  notes?: string
}

/** The calls an assistant message asks for. */
export function callIdsOf(message: ModelMessage | undefined): string[] {
  if (message?.role !== 'assistant' || typeof message.content === 'string') return []
  return message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
}

function markPartial(message: ModelMessage): ModelMessage {
  return {role: 'assistant', content: `${message.content as string}\n[The reply broke off here.]`}
}

function closeOpenCalls(messages: ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message, index) => {
    const isNewest = index === messages.length - 1
    const open = isNewest ? [] : openCalls(message, messages[index + 1])
    return open.length === 0 ? [message] : [message, noResults(message as AssistantModelMessage, open)]
  })
}

function openCalls(message: ModelMessage, next: ModelMessage | undefined): string[] {
  return next?.role === 'tool' ? [] : callIdsOf(message)
}

function noResults(message: AssistantModelMessage, open: string[]): ToolModelMessage {
  const parts = typeof message.content === 'string' ? [] : message.content
  return {
    role: 'tool',
    content: parts.flatMap((part) =>
      part.type === 'tool-call' && open.includes(part.toolCallId)
        ? [
            {
              type: 'tool-result' as const,
              toolCallId: part.toolCallId,
              toolName: part.toolName,
              output: {type: 'error-text' as const, value: 'The turn ended before this call had a result.'},
            },
          ]
        : [],
    ),
  }
}
