import type {ModelMessage, ToolResultPart} from 'ai'

export interface ToolResult {
  name: string
  output: ToolResultPart['output']
}

/** The last thing the user said, and what the tools gave back since. */
export function latestExchange(messages: readonly ModelMessage[]): {userText: string; results: ToolResult[]} {
  const at = messages.findLastIndex((message) => message.role === 'user')
  const user = messages[at]
  const since = messages.slice(at + 1)
  return {userText: user ? textOf(user) : '', results: since.flatMap(resultsOf)}
}

/** The text parts of a message, joined. */
export function textOf({content}: ModelMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function resultsOf(message: ModelMessage): ToolResult[] {
  if (message.role !== 'tool') return []
  return message.content.flatMap((part) => (part.type === 'tool-result' ? [{name: part.toolName, output: part.output}] : []))
}
