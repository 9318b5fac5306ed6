/**
 * A model provider that answers at once, as its own process, so that its work does not count as anybody else's. It speaks OpenAI's
 * chat completions as an event stream. The model's name says what it does:
 *
 * - `instant`: a short text in eight pieces, in one write;
 * - `two-tools`: two tool calls in one step, then the text;
 * - `slow`: the text drips for two seconds.
 *
 * `GET /last` gives the newest request body back. Node runs this file without a loader, so it imports nothing of ours.
 */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

const SLOW_PIECES = 40
const SLOW_PAUSE_MS = 50

const pieces = ['Certainly', ': ', 'all is', ' well', ' here', ', and', ' you are', ' welcome.']
const shell = {id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'stub'}
const usage = {prompt_tokens: 900, completion_tokens: 12, total_tokens: 912, prompt_tokens_details: {cached_tokens: 0}}

const frame = (value: object) => `data: ${JSON.stringify({...shell, ...value})}\n\n`
const delta = (delta: object, finish_reason: string | null = null) => frame({choices: [{index: 0, delta, finish_reason}]})
const end = (reason: string) => [delta({}, reason), frame({choices: [], usage}), 'data: [DONE]\n\n']
const call = (index: number, id: string, name: string, input: object) =>
  delta({tool_calls: [{index, id, type: 'function', function: {name, arguments: JSON.stringify(input)}}]})

const opening = delta({role: 'assistant', content: ''})
const text = Buffer.from([opening, ...pieces.map((content) => delta({content})), ...end('stop')].join(''))
const twoCalls = Buffer.from(
  [
    opening,
    call(0, 'call_a', 'time', {zone: 'Europe/Paris'}),
    call(1, 'call_b', 'recall', {query: 'birthday'}),
    ...end('tool_calls'),
  ].join(''),
)

let last = Buffer.from('{}')

const server = createServer((request, response) => {
  if (request.method === 'GET') response.end(last)
  else collect(request, (body) => answer(body, response))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({event: 'ready', port: (server.address() as AddressInfo).port}))
})
// The parent holds the other end; when it is gone there is nobody left to answer.
process.stdin.on('end', () => process.exit()).resume()

function collect(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(Buffer.concat(chunks)))
}

function answer(body: Buffer, response: ServerResponse): void {
  last = Buffer.from(body)
  response.writeHead(200, {'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache'})
  if (body.includes('"model":"slow"')) drip(response, SLOW_PIECES)
  else if (body.includes('"model":"two-tools"') && !body.includes('"role":"tool"')) response.end(twoCalls)
  else response.end(text)
}

function drip(response: ServerResponse, left: number): void {
  if (left === SLOW_PIECES) response.write(opening)
  response.write(delta({content: 'word '}))
  if (left > 1) setTimeout(drip, SLOW_PAUSE_MS, response, left - 1)
  else response.end(end('stop').join(''))
}
