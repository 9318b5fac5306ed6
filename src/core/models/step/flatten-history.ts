import type {ModelMessage} from 'ai'

/**
 * The history without tool parts: calls and results become text. Providers reject tool calls in a request that declares no
 * tools, and reasoning whose call is missing.
 */
export function flattenHistory(messages: ModelMessage[]): ModelMessage[] {
  const names = new Map<string, string>()
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'tool') {
      const results = message.content.flatMap((part) => (part.type === 'tool-result' ? [resultText(part, names)] : []))
      return results.length > 0 ? [{role: 'user', content: results.join('\n')}] : []
    }
    if (message.role !== 'assistant' || typeof message.content === 'string') return [message]

    const lines = message.content.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      if (part.type !== 'tool-call') return []
      names.set(part.toolCallId, part.toolName)
      return [`[I called ${part.toolName} with ${JSON.stringify(part.input)}]`]
    })
    const text = lines.filter((line) => line !== '').join('\n')
    return text ? [{role: 'assistant', content: text}] : []
  })
}

function resultText(part: {toolCallId: string; toolName: string; output: unknown}, names: ReadonlyMap<string, string>): string {
  const {output} = part
  const value = typeof output === 'object' && output !== null && 'value' in output ? output.value : output
  return `[${names.get(part.toolCallId) ?? part.toolName} answered: ${typeof value === 'string' ? value : JSON.stringify(value)}]`
}
