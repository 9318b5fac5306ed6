/** The three protocols that model providers speak, each told by the end of its path. */
export type Protocol = 'openai' | 'openai-compatible' | 'anthropic'

export interface SaidCall {
  id?: string
  name: string
  /** An object, or the raw text of the arguments, valid JSON or not. */
  input: Record<string, unknown> | string
}

/** What the model says in one reply, whatever the protocol. */
export interface Said {
  /** Each piece is an event of its own. */
  text?: string | string[]
  reasoning?: string
  calls?: SaidCall[]
  /** `none`: the reply ends without a reason, as when something on the way went wrong. */
  finish?: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'none'
  /** `input` is the total, the cached part included. */
  usage?: {input?: number; output?: number; cached?: number; cacheWrite?: number}
}

/** The server-sent events of a good reply, as each protocol's reference has them. */
export function framesOf(protocol: Protocol, said: Said, model = 'test-model'): string[] {
  return {openai: responsesFrames, 'openai-compatible': chatFrames, anthropic: messagesFrames}[protocol](said, model)
}

/** The event by which a provider reports an error after it answered 200. */
export function errorFrame(protocol: Protocol, type: string, message: string): string {
  const error = {type, code: type, message}
  if (protocol === 'anthropic') return named({type: 'error', error: {type, message}})
  if (protocol === 'openai-compatible') return unnamed({error})
  const response = {...responseShell('test-model', 'failed'), error: {code: type, message}}
  return named({type: 'response.failed', sequence_number: 99, response})
}

function responsesFrames(said: Said, model: string): string[] {
  const events: Record<string, unknown>[] = []
  const output: unknown[] = []
  const add = (event: Record<string, unknown>) => events.push({...event, sequence_number: events.length})
  const item = (made: Record<string, unknown>, finished: Record<string, unknown>, between: (at: object) => void) => {
    const output_index = output.length
    add({type: 'response.output_item.added', output_index, item: made})
    between({item_id: made.id, output_index})
    add({type: 'response.output_item.done', output_index, item: finished})
    output.push(finished)
  }

  add({type: 'response.created', response: responseShell(model, 'in_progress')})
  add({type: 'response.in_progress', response: responseShell(model, 'in_progress')})
  if (said.reasoning) {
    const {reasoning: text} = said
    const done = {type: 'reasoning', id: 'rs_1', summary: [{type: 'summary_text', text}], encrypted_content: 'c2VhbGVk'}
    item({type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2Vh'}, done, (at) => {
      add({type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part: {type: 'summary_text', text: ''}})
      add({type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: text})
      add({type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text})
      add({type: 'response.reasoning_summary_part.done', ...at, summary_index: 0, part: {type: 'summary_text', text}})
    })
  }
  const pieces = piecesOf(said.text)
  if (pieces.length > 0) {
    const text = pieces.join('')
    const message = {type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: []}
    const part = {type: 'output_text', text, annotations: [], logprobs: []}
    item(message, {...message, status: 'completed', content: [part]}, (at) => {
      add({type: 'response.content_part.added', ...at, content_index: 0, part: {...part, text: ''}})
      for (const delta of pieces) add({type: 'response.output_text.delta', ...at, content_index: 0, delta, logprobs: []})
      add({type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: []})
      add({type: 'response.content_part.done', ...at, content_index: 0, part})
    })
  }
  for (const [index, call] of (said.calls ?? []).entries()) {
    const args = argumentsOf(call)
    const made = {
      type: 'function_call',
      id: `fc_${index}`,
      call_id: call.id ?? `call_${index}`,
      name: call.name,
      status: 'in_progress',
      arguments: '',
    }
    item(made, {...made, status: 'completed', arguments: args}, (at) => {
      for (const delta of halves(args)) add({type: 'response.function_call_arguments.delta', ...at, delta})
      add({type: 'response.function_call_arguments.done', ...at, arguments: args})
    })
  }

  const {input, output: produced, cached} = tokensOf(said)
  const usage = {
    input_tokens: input,
    input_tokens_details: {cached_tokens: cached},
    output_tokens: produced,
    output_tokens_details: {reasoning_tokens: 0},
    total_tokens: input + produced,
  }
  const incomplete = {length: 'max_output_tokens', 'content-filter': 'content_filter'}[said.finish as string]
  const response = {...responseShell(model, incomplete ? 'incomplete' : 'completed'), output, usage}
  if (said.finish === 'none') return events.map(named)
  if (incomplete) add({type: 'response.incomplete', response: {...response, incomplete_details: {reason: incomplete}}})
  else add({type: 'response.completed', response})
  return events.map(named)
}

function responseShell(model: string, status: string) {
  return {
    ...{
      id: 'resp_1',
      object: 'response',
      created_at: 1_795_000_000,
      status,
      background: false,
      error: null,
      incomplete_details: null,
    },
    ...{instructions: null, model, output: [], parallel_tool_calls: true, store: false, tools: [], usage: null, metadata: {}},
  }
}

function chatFrames(said: Said, model: string): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    unnamed({...chatShell(model), choices: [{index: 0, delta, logprobs: null, finish_reason}], usage: null})
  const frames = [chunk({role: 'assistant', content: ''})]
  if (said.reasoning) frames.push(chunk({reasoning_content: said.reasoning}))
  for (const content of piecesOf(said.text)) frames.push(chunk({content}))
  for (const [index, call] of (said.calls ?? []).entries()) {
    const id = call.id ?? `call_${index}`
    frames.push(chunk({tool_calls: [{index, id, type: 'function', function: {name: call.name, arguments: ''}}]}))
    for (const part of halves(argumentsOf(call))) frames.push(chunk({tool_calls: [{index, function: {arguments: part}}]}))
  }
  const finish = finishOf(said)
  const word = {stop: 'stop', length: 'length', 'tool-calls': 'tool_calls', 'content-filter': 'content_filter', none: null}[
    finish
  ]
  if (word) frames.push(chunk({}, word))
  const {input, output, cached} = tokensOf(said)
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {cached_tokens: cached},
  }
  if (word) frames.push(unnamed({...chatShell(model), choices: [], usage}))
  return [...frames, 'data: [DONE]\n\n']
}

function chatShell(model: string) {
  return {id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_795_000_000, model, system_fingerprint: 'fp_1'}
}

function messagesFrames(said: Said, model: string): string[] {
  const {input, output, cached, cacheWrite} = tokensOf(said)
  const usage = {
    input_tokens: input - cached - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: 1,
  }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const events: Record<string, unknown>[] = [{type: 'message_start', message}, {type: 'ping'}]
  let index = 0
  const block = (content_block: object, deltas: object[]) => {
    events.push({type: 'content_block_start', index, content_block})
    for (const delta of deltas) events.push({type: 'content_block_delta', index, delta})
    events.push({type: 'content_block_stop', index})
    index++
  }

  if (said.reasoning) {
    const deltas = [
      {type: 'thinking_delta', thinking: said.reasoning},
      {type: 'signature_delta', signature: 'c2ln'},
    ]
    block({type: 'thinking', thinking: '', signature: ''}, deltas)
  }
  const pieces = piecesOf(said.text)
  if (pieces.length > 0)
    block(
      {type: 'text', text: ''},
      pieces.map((text) => ({type: 'text_delta', text})),
    )
  for (const [at, call] of (said.calls ?? []).entries()) {
    const deltas = halves(argumentsOf(call)).map((partial_json) => ({type: 'input_json_delta', partial_json}))
    block({type: 'tool_use', id: call.id ?? `toolu_${at}`, name: call.name, input: {}}, deltas)
  }
  const finish = finishOf(said)
  const word = {stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use', 'content-filter': 'refusal', none: null}[finish]
  if (word) {
    events.push({type: 'message_delta', delta: {stop_reason: word, stop_sequence: null}, usage: {output_tokens: output}})
    events.push({type: 'message_stop'})
  }
  return events.map(named)
}

function finishOf(said: Said): NonNullable<Said['finish']> {
  return said.finish ?? (said.calls?.length ? 'tool-calls' : 'stop')
}

function tokensOf({usage = {}}: Said) {
  return {input: usage.input ?? 10, output: usage.output ?? 5, cached: usage.cached ?? 0, cacheWrite: usage.cacheWrite ?? 0}
}

function piecesOf(text: string | string[] = []): string[] {
  return (Array.isArray(text) ? text : [text]).filter((piece) => piece !== '')
}

function argumentsOf({input}: SaidCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '')
}

function named(event: Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function unnamed(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
