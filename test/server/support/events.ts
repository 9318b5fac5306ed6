import type {TurnEvent} from '../../../src/core/agent/turn-event.js'

export interface SentEvent {
  id: string
  event: string
  data: TurnEvent
}

/** Every event of an SSE text; comments are left out. */
export function parseEvents(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      return {id: fields.id as string, event: fields.event as string, data: JSON.parse(fields.data as string) as TurnEvent}
    })
}
