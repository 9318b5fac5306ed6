import type {TurnEventBody} from '../../src/core/agent/turn-event.js'
import {code, codes, table} from './markdown.js'

type Type = TurnEventBody['type']
type FieldOf<T extends Type> = Exclude<keyof Extract<TurnEventBody, {type: T}>, 'type'>

/** In the order of a turn. The types make a new event, and a new field of one, ask for its line here. */
const events: {[T in Type]: {fields: Record<FieldOf<T>, true>; when: string}} = {
  'turn.started': {fields: {model: true}, when: 'It runs. Without it the turn still waits for its place in the queue'},
  'reasoning.delta': {fields: {text: true}, when: 'A piece of what the model thinks, where it tells'},
  'text.delta': {fields: {text: true}, when: 'A piece of the reply; pieces are joined for up to 50 ms'},
  'turn.retrying': {
    fields: {attempt: true, reason: true, model: true, delayMs: true},
    when: 'The model failed and is asked again after that wait, or another one is',
  },
  'text.reset': {fields: {}, when: 'Forget the text since the last tool call: the step is made again'},
  'tool.started': {fields: {callId: true, name: true, input: true}, when: 'A tool call is in the journal and begins'},
  'tool.finished': {
    fields: {callId: true, name: true, status: true, output: true},
    when: 'It ended; `status` says how, `output` is what the model reads',
  },
  'approval.requested': {
    fields: {approvalId: true, callId: true, name: true, input: true, reason: true, expiresAt: true},
    when: 'A tool call waits for the owner',
  },
  'approval.decided': {fields: {approvalId: true, decision: true, by: true}, when: 'The owner answered, or nobody did in time'},
  'turn.completed': {fields: {reply: true, usage: true, model: true}, when: 'Last: the whole reply'},
  'turn.failed': {fields: {code: true, detail: true, hint: true}, when: 'Last: a code of the table of failures'},
  'turn.cancelled': {fields: {partial: true}, when: 'Last: as much of the reply as there was'},
}

export function streamTable(): string {
  const rows = Object.entries(events).map(([type, {fields, when}]) => [code(type), codes(Object.keys(fields)) || '–', when])
  return table(['event', 'fields', 'when'], rows)
}
