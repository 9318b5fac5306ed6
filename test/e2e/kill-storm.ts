import {writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {DatabaseSync} from 'node:sqlite'
import {setTimeout as sleep} from 'node:timers/promises'
import {type ModelRequest, type Reply, startModelServer} from '../support/model-server.js'
import {finish, startSvc} from '../support/run-svc.js'

const HTTP_CLIENTS = 3
const CLI_WRITERS = 4
/** Every so many command lines one is killed as well. */
const KILLED_COMMANDS = 4

export interface StormReport {
  kills: number
  killedCommands: number
  /** Markers of messages whose sender got a first sign of acceptance. */
  acknowledged: string[]
  /** Markers whose sender got the final reply. */
  answered: string[]
  /** What a sender got that is no answer to what it sent. */
  wrongAnswers: string[]
  /** Milliseconds from start to the ready line, of every start. */
  starts: number[]
  /** How the server ended at last, after SIGTERM. */
  lastExit: number | null
  home: string
}

type Server = Awaited<ReturnType<typeof startSvc>>

/**
 * A gateway that is killed with SIGKILL again and again, at random moments, while clients send messages over HTTP and commands
 * write into the same home; some of the commands are killed too. Every message bears a marker that the model repeats, and every
 * third makes the model call a tool that leaves the marker in the agent's notes.
 *
 * @param home an empty folder; what the storm left is there afterwards
 */
export async function killStorm({home, kills}: {home: string; kills: number}): Promise<StormReport> {
  const model = await startModelServer({script: repeatMarker})
  const port = await freePort()
  await writeFile(join(home, 'config.json'), JSON.stringify(configFor(model.baseURL, port)))

  const report: StormReport = {
    kills: 0,
    killedCommands: 0,
    acknowledged: [],
    answered: [],
    wrongAnswers: [],
    starts: [],
    lastExit: null,
    home,
  }
  let server = await startServer(home, report)
  let over = false
  const isOver = () => over
  const senders = [
    ...times(HTTP_CLIENTS, (n) => httpClient(`http://127.0.0.1:${port}`, n, report, isOver)),
    ...times(CLI_WRITERS, (n) => cliWriter(home, n, report, isOver)),
  ]

  while (report.kills < kills) {
    await sleep(50 + Math.random() * 550)
    server.kill('SIGKILL')
    await finish(server)
    report.kills++
    server = await startServer(home, report)
  }

  over = true
  await Promise.all(senders)
  await untilNothingIsOpen(home)
  server.kill('SIGTERM')
  report.lastExit = (await finish(server)).code
  await model.close()
  return report
}

const configFor = (baseURL: string, port: number) => ({
  models: {default: 'stub/model', providers: {stub: {kind: 'openai-compatible', baseURL, apiKey: 'test'}}},
  gateway: {port, concurrency: 8, queue: 1000},
})

const MARKER = /m-[a-z]+\d+-\d+/

/** The model: repeats the marker of the newest message, after noting it when the message says so. */
async function repeatMarker({body}: ModelRequest): Promise<Reply> {
  const messages = body.messages as {role: string; content: unknown}[]
  const asked = messages.findLastIndex(({role}) => role === 'user')
  const text = JSON.stringify(messages[asked]?.content)
  const marker = MARKER.exec(text)?.[0] ?? 'none'
  const noted = messages.slice(asked).some(({role}) => role === 'tool')
  await sleep(Math.random() * 40)
  if (text.includes('note') && !noted) return {say: {calls: [{name: 'remember', input: {text: marker}}]}}
  return {say: {text: ['answer to ', marker]}, pauseMs: Math.random() * 10}
}

const messageFor = (marker: string, number: number) => (number % 3 === 0 ? `please note ${marker}` : `hello ${marker}`)

/** Sends one message after the other, each again under the same key until its answer has come. */
async function httpClient(url: string, client: number, report: StormReport, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const marker = `m-http${client}-${number}`
    for (let reply: string | undefined; reply === undefined; ) {
      reply = await sendOnce(url, marker, {message: messageFor(marker, number), session: `http${client}`}, report).catch(
        () => undefined,
      )
      if (reply === undefined) await sleep(20)
      else if (reply === `answer to ${marker}`) report.answered.push(marker)
      else report.wrongAnswers.push(`${marker}: ${reply}`)
    }
  }
}

/** @returns the reply; undefined when the stream broke off */
async function sendOnce(url: string, marker: string, body: object, report: StormReport): Promise<string | undefined> {
  const headers = {'content-type': 'application/json', accept: 'text/event-stream', 'idempotency-key': marker}
  const response = await fetch(`${url}/message`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  if (response.status === 503) return undefined
  if (response.status !== 200 || !response.body) return `status ${response.status}: ${await response.text()}`
  if (!report.acknowledged.includes(marker)) report.acknowledged.push(marker)
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk
  const last = [...text.matchAll(/^data: (.+)$/gm)]
    .map((match) => JSON.parse(match[1] as string) as Record<string, string>)
    .at(-1)
  if (last?.type === 'turn.completed') return last.reply
  return last?.type === 'turn.failed' ? `failed: ${last.code} ${last.detail}` : undefined
}

/** Runs one `svc message` after the other; a killed one is never asked about again. */
async function cliWriter(home: string, writer: number, report: StormReport, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    const marker = `m-cli${writer}-${number}`
    const command = await startSvc(['message', messageFor(marker, number), '--session', `cli${writer}`, '--json'], {home})
    const killed = number % KILLED_COMMANDS === 3
    if (killed) setTimeout(() => command.kill('SIGKILL'), 50 + Math.random() * 250)
    const {code, signal, stdout, stderr} = await finish(command)
    if (signal === 'SIGKILL') report.killedCommands++
    else if (code === 0) {
      report.acknowledged.push(marker)
      const {reply} = JSON.parse(stdout) as {reply: string}
      if (reply === `answer to ${marker}`) report.answered.push(marker)
      else report.wrongAnswers.push(`${marker}: ${reply}`)
    } else report.wrongAnswers.push(`${marker}: exit ${code} ${stdout} ${stderr}`)
  }
}

async function startServer(home: string, report: StormReport): Promise<Server> {
  const started = performance.now()
  const server = await startSvc(['serve', '--json'], {home})
  let errors = ''
  server.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2000)
  })
  for await (const line of createInterface({input: server.stdout})) {
    if ((JSON.parse(line) as {event?: string}).event === 'ready') {
      report.starts.push(performance.now() - started)
      server.stdout.resume()
      return server
    }
  }
  throw new Error(`The gateway did not start: ${errors}`)
}

/** What killed commands left is taken over by the server, which needs a moment for it. */
async function untilNothingIsOpen(home: string): Promise<void> {
  const database = new DatabaseSync(join(home, 'svc.db'), {readOnly: true})
  const open = database.prepare('SELECT count(*) AS n FROM turns WHERE finished_at IS NULL')
  const deadline = Date.now() + 30_000
  while (open.get()?.n !== 0 && Date.now() < deadline) await sleep(100)
  database.close()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const times = <Result>(count: number, make: (n: number) => Result): Result[] => Array.from({length: count}, (_, n) => make(n))
