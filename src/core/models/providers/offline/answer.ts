import {type Intent, rules} from './grammar.js'

/**
 * The reply to an intent that calls no tool, or whose tool the agent lacks.
 * @param declared names of the tools the agent has
 * @param messages how many messages of the conversation the model sees
 */
export function answer(intent: Intent, declared: readonly string[], messages: number): string {
  switch (intent.kind) {
    case 'help':
      return help(declared)
    case 'status':
      return `I am offline/assistant. I see ${messages} ${messages === 1 ? 'message' : 'messages'} of this conversation and have ${toolsOf(declared)}. For the service itself run: svc status`
    case 'use-model':
      return `I cannot change the model from here. Run: svc model ${intent.model}`
    case 'call':
    case 'needs':
      return `That is not available here: ${missing(intent.tool, declared)}.${instead[intent.tool] ?? ''}`
    case 'unknown':
      return `I did not understand that. I am a small rule-based stand-in and know only fixed phrases.\n\n${help(declared)}`
  }
}

const instead: Record<string, string> = {
  forget: ' My notes are text files that you can edit, in agents/<agent>/memory of the service home.',
}

function missing(tool: string, declared: readonly string[]): string {
  return declared.includes(tool) ? `I have no rule for the tool "${tool}" yet` : `this agent has no tool "${tool}"`
}

function toolsOf(declared: readonly string[]): string {
  return declared.length === 0 ? 'no tools' : `these tools: ${declared.join(', ')}`
}

function help(declared: readonly string[]): string {
  const usable = rules.filter(({tool}) => tool === undefined || declared.includes(tool))
  return ['I understand:', ...usable.map(({usage, does}) => `  ${usage} – ${does}`)].join('\n')
}
