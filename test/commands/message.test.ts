import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmod, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import {type ModelServer, startModelServer} from '../support/model-server.js'
import {finish, runSvc, startSvc} from '../support/run-svc.js'
import {tempFolder} from '../support/temp.js'
import {homeWithModel} from './model-home.js'

describe('svc message', () => {
  let server: ModelServer
  let home: string

  beforeEach(async () => {
    server = await startModelServer({script: [{say: {text: ['Hello', ' you.'], usage: {input: 12, output: 3}}}]})
    home = await homeWithModel(server)
  })
  afterEach(() => server.close())

  /** What the model was asked last. */
  const asked = (): string => server.requests.at(-1)?.body.messages.at(-1).content

  it('joins its words, prints the reply and nothing else', async () => {
    const {code, stdout, stderr} = await runSvc(['message', 'hi', 'there'], {home})
    expect([code, stdout, stderr]).to.deep.equal([0, 'Hello you.\n', ''])
    expect(asked()).to.equal('hi there')
  })

  it('takes the message from stdin, and puts stdin after the words', async () => {
    await runSvc(['message'], {home, input: 'from a pipe\n'})
    expect(asked()).to.equal('from a pipe')
    await runSvc(['message', 'Review', 'this:'], {home, input: 'line 1\r\nline 2 ünï 漢 🙂\r\n'})
    expect(asked()).to.equal('Review this:\n\nline 1\nline 2 ünï 漢 🙂')
  })

  it('goes on without a stdin that stays silent, and says so', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/run.js'), 'message', 'hi'], {
      env: {PATH: process.env.PATH, SVC_HOME: home},
    })
    const {code, stdout, stderr} = await finish(child)
    expect([code, stdout]).to.deep.equal([0, 'Hello you.\n'])
    expect(stderr).to.contain('Nothing came on stdin')
    expect(asked()).to.equal('hi')
  })

  it('takes the message from a file, and from stdin as -f -', async () => {
    const file = join(home, 'question.md')
    await writeFile(file, '\ufeffWhat is this?\n')
    await runSvc(['message', '-f', file], {home, input: 'not read'})
    expect(asked()).to.equal('What is this?')
    await runSvc(['message', 'so:', '-f', '-'], {home, input: 'piped'})
    expect(asked()).to.equal('so:\n\npiped')
  })

  it('says what to give when there is nothing to send', async () => {
    for (const args of [['message'], ['message', ''], ['message', '   ']]) {
      const {code, stdout, stderr} = await runSvc(args, {home, input: '\n'})
      expect([code, stdout]).to.deep.equal([2, ''])
      expect(stderr).to.match(/^Error: There is no message to send\.\n.*\nTry: svc message "your question" .* -f FILE\)\n$/)
    }
  })

  it('refuses what is no text, too long or not there', async () => {
    const binary = await runSvc(['message', '-f', process.execPath], {home})
    expect([binary.code, binary.stderr]).to.satisfy(([code, text]: [number, string]) => code === 2 && /too long/.test(text))
    await writeFile(join(home, 'latin1'), Buffer.from([0x68, 0xe9]))
    const latin = await runSvc(['message', '-f', join(home, 'latin1')], {home})
    expect([latin.code, latin.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && /not a text in UTF-8/.test(text),
    )
    const missing = await runSvc(['message', '-f', '/does/not/exist', '--json'], {home})
    expect(missing.code).to.equal(3)
    expect(JSON.parse(missing.stdout)).to.have.nested.property('error.code', 'not-found')
    expect(server.requests).to.have.length(0)
  })

  it('answers with one object under --json', async () => {
    const {code, stdout, stderr} = await runSvc(['message', 'hi', '--json'], {home})
    const {turnId, durationMs, ...reply} = JSON.parse(stdout)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(turnId).to.match(/^turn_/)
    expect(durationMs).to.be.a('number')
    expect(reply).to.deep.equal({
      schemaVersion: 1,
      ok: true,
      reply: 'Hello you.',
      sessionId: 'main',
      model: 'local/small',
      status: 'completed',
      toolCalls: [],
      usage: {inputTokens: 12, outputTokens: 3, cachedTokens: 0, costUsd: 0},
    })
  })

  it('prints every event as a line under --json-stream', async () => {
    const {code, stdout} = await runSvc(['message', 'hi', '--json-stream'], {home})
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).to.equal(0)
    expect(events[0]).to.include({type: 'turn.started', seq: 1, sessionId: 'main'})
    expect(events.at(-1)).to.include({type: 'turn.completed', reply: 'Hello you.'})
  })

  it('goes on with a conversation, and opens new ones', async () => {
    await runSvc(['message', 'one'], {home})
    await runSvc(['message', 'two'], {home})
    expect(server.requests.at(-1)?.body.messages.filter(({role}: {role: string}) => role === 'user')).to.have.length(2)
    const fresh = await runSvc(['message', 'three', '--new', '--json'], {home})
    expect(JSON.parse(fresh.stdout).sessionId).to.match(/^session_/)
    const named = await runSvc(['message', 'four', '--session', 'holiday', '--json'], {home})
    expect(JSON.parse(named.stdout).sessionId).to.equal('holiday')
    expect(server.requests.at(-1)?.body.messages.filter(({role}: {role: string}) => role === 'user')).to.have.length(1)
  })

  it('asks the model it is told to, by its alias too', async () => {
    await runSvc(['message', 'hi', '--model', 'gpt5.6'], {home})
    expect(server.requests.at(-1)?.body.model).to.equal('large')
  })

  it('refuses an unknown model and names the nearest alias', async () => {
    const {code, stderr} = await runSvc(['message', 'hi', '--model', 'gpt56'], {home})
    expect(code).to.equal(2)
    expect(stderr).to.match(/^Error: There is no model "gpt56"\.\n(.*\n)?Try: .*gpt5\.6.*\n$/)
  })

  it('refuses ids that are none, and agents that do not exist', async () => {
    const climbing = await runSvc(['message', 'hi', '--session', '../../etc'], {home})
    expect([climbing.code, climbing.stdout]).to.deep.equal([2, ''])
    const agent = await runSvc(['message', 'hi', '--agent', 'nobody'], {home})
    expect(agent.code).to.equal(3)
    const both = await runSvc(['message', 'hi', '--new', '--session', 'a', '--json'], {home})
    expect(JSON.parse(both.stdout)).to.have.nested.property('error.code', 'invalid-input')
  })

  it('shows what the tools did only with --verbose or on a terminal', async () => {
    const script = [{say: {text: 'Let me look.', calls: [{name: 'time', input: {}}]}}, {say: {text: 'It is late.'}}]
    server.play(script)
    const plain = await runSvc(['message', 'time?'], {home})
    expect([plain.stdout, plain.stderr]).to.deep.equal(['Let me look.\nIt is late.\n', ''])
    server.play(script)
    const verbose = await runSvc(['message', 'time?', '--verbose'], {home})
    expect(verbose.stdout).to.equal('Let me look.\nIt is late.\n')
    expect(verbose.stderr).to.match(/^→ time\(\)\nlocal\/small\b.*\n$/)
  })

  it('never prints what was taken back into a pipe, and tells about the retry', async () => {
    server.play([
      {say: {text: ['Wrong', ' start', ' of it']}, fault: {after: 3, kind: 'cut'}, pauseMs: 60},
      {say: {text: 'Right.'}},
    ])
    const {code, stdout, stderr} = await runSvc(['message', 'hi'], {home})
    expect([code, stdout]).to.deep.equal([0, 'Right.\n'])
    expect(stderr).to.match(/Trying local\/small again.*\(attempt 2\)/)
  })

  it('fails in three lines with the exit code of the failure', async () => {
    server.play([{status: 401, body: {error: {message: 'Incorrect API key provided', type: 'invalid_request_error'}}}])
    const {code, stdout, stderr} = await runSvc(['message', 'hi'], {home})
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr.trimEnd().split('\n')).to.have.length(3)
    expect(stderr).to.match(/^Error: .*\nYour message is kept in session main, as turn_\w+\.\nTry: .*\n$/)
    const json = await runSvc(['message', 'hi', '--json'], {home})
    expect(json.code).to.equal(1)
    expect(JSON.parse(json.stdout)).to.deep.include({ok: false, status: 'failed', sessionId: 'main'})
    expect(JSON.parse(json.stdout).error).to.include({code: 'provider-auth', exit: 1})
  })

  it('cancels the turn at Ctrl-C and keeps what was said', async () => {
    server.play([{say: {text: ['Once', ' upon', ' a', ' time']}, fault: {after: 3, kind: 'stall'}}])
    const child = await startSvc(['message', 'a story'], {home})
    const ended = finish(child)
    await saidSomething(home)
    child.kill('SIGINT')
    const {code, stdout, stderr} = await ended
    expect([code, stdout]).to.satisfy(([code, text]: [number, string]) => code === 130 && text.startsWith('Once'))
    expect(stderr).to.match(
      /^Error: The turn was cancelled\.\nWhat was said so far is kept in session main\.\nTry: svc turns retry turn_\w+\n$/,
    )
    const turns = await runSvc(['turns', 'list', '--json'], {home})
    expect(JSON.parse(turns.stdout).turns[0]).to.deep.include({status: 'cancelled', partial: stdout.trimEnd()})
  })

  it('says under --json and --json-stream that it was cancelled', async () => {
    for (const flag of ['--json', '--json-stream']) {
      server.play([{say: {text: ['Once', ' upon']}, fault: {after: 2, kind: 'stall'}}])
      const child = await startSvc(['message', 'a story', flag, '--new'], {home})
      const ended = finish(child)
      await saidSomething(home)
      child.kill('SIGINT')
      const {code, stdout} = await ended
      const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
      expect(code).to.equal(130)
      expect(flag === '--json' ? last.error.code : last.type).to.equal(flag === '--json' ? 'cancelled' : 'turn.cancelled')
    }
  })

  it('leaves the turn to the next process at SIGTERM, which goes on with it', async () => {
    server.play([{say: {text: ['Once', ' upon']}, fault: {after: 2, kind: 'stall'}}])
    const child = await startSvc(['message', 'a story'], {home})
    const ended = finish(child)
    await saidSomething(home)
    child.kill('SIGTERM')
    const stopped = await ended
    expect([stopped.code, stopped.stdout]).to.deep.equal([143, ''])
    expect(stopped.stderr).to.match(/^Error: svc was told to stop\.\nThe turn is kept;.*\nTry: svc turns show turn_\w+\n$/)

    server.play([{say: {text: 'The whole story.'}}])
    const next = await runSvc(['message', 'and now?', '--new'], {home})
    expect([next.code, next.stdout]).to.deep.equal([0, 'The whole story.\n'])
    expect(next.stderr).to.contain('what another svc process left')
    const turns = await runSvc(['turns', 'list', '--json'], {home})
    expect(JSON.parse(turns.stdout).turns.map(({status}: {status: string}) => status)).to.deep.equal(['completed', 'completed'])
  })

  it('goes on with the turns of a process that was killed', async () => {
    server.play([{say: {text: ['Once', ' upon']}, fault: {after: 2, kind: 'stall'}}])
    const child = await startSvc(['message', 'a story'], {home})
    await saidSomething(home)
    child.kill('SIGKILL')
    await once(child, 'close')
    server.play([{say: {text: 'Done.'}}])
    const next = await runSvc(['message', 'still there?'], {home})
    expect([next.code, next.stdout]).to.deep.equal([0, 'Done.\n'])
    const turns = await runSvc(['turns', 'list'], {home})
    expect(turns.stdout.match(/\tcompleted\t/g)).to.have.length(2)
  })

  it('ends well when its reader has seen enough', async () => {
    const child = await startSvc(['message', 'hi'], {home})
    child.stdout.destroy()
    const [code] = await once(child, 'exit')
    expect(code).to.equal(0)
  })

  it('names what is wrong with the home: a broken file, a newer store', async () => {
    await writeFile(join(home, 'config.json'), '{"models": ')
    const broken = await runSvc(['message', 'hi'], {home})
    expect([broken.code, broken.stdout]).to.deep.equal([6, ''])
    expect(broken.stderr).to.contain(`${join(home, 'config.json')}:1:`)

    const other = await homeWithModel(server)
    await runSvc(['message', 'hi'], {home: other})
    const database = new DatabaseSync(join(other, 'svc.db'))
    database.exec('PRAGMA user_version = 9999')
    database.close()
    const newer = await runSvc(['message', 'hi', '--json'], {home: other})
    expect(newer.code).to.equal(6)
    expect(JSON.parse(newer.stdout).error.code).to.equal('store-too-new')
  })

  it('warns of what the configuration lacks, and goes on', async () => {
    const config = JSON.parse(await readFile(join(home, 'config.json'), 'utf8'))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the configuration names a variable
    config.agents = {list: {helper: {instructions: 'Obey ${NOT_SET_ANYWHERE}'}}}
    await writeFile(join(home, 'config.json'), JSON.stringify(config))
    const {code, stdout, stderr} = await runSvc(['message', 'hi'], {home})
    expect([code, stdout]).to.deep.equal([0, 'Hello you.\n'])
    expect(stderr).to.match(/^Warning: .*NOT_SET_ANYWHERE.*\n$/)
    const json = await runSvc(['message', 'hi', '--json'], {home})
    expect(JSON.parse(json.stdout).warnings[0]).to.contain('NOT_SET_ANYWHERE')
  })

  it('says so when the home is where no folder can be made', async () => {
    for (const nowhere of ['/proc/x', '/dev/null/x']) {
      const {code, stdout, stderr} = await runSvc(['message', 'hi'], {home: nowhere, env: {NODE_COMPILE_CACHE: ''}})
      expect([code, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.contain(`The service home ${nowhere} cannot be used`)
    }
  })

  it('says so when the home cannot be written', async () => {
    const locked = await tempFolder()
    const file = join(locked, 'file')
    await writeFile(file, '')
    const noFolder = await runSvc(['message', 'hi'], {home: join(file, 'svc')})
    expect([noFolder.code, noFolder.stdout]).to.deep.equal([1, ''])
    expect(noFolder.stderr).to.match(/^Error: The service home .* cannot be used/)
    // The superuser may write everywhere.
    if (process.getuid?.() === 0) return
    await chmod(locked, 0o500)
    const readOnly = await runSvc(['message', 'hi'], {home: locked})
    expect(readOnly.code).to.equal(1)
  })
})

/** Waits until the running turn of this home has said something. */
async function saidSomething(home: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    await sleep(25)
    try {
      const database = new DatabaseSync(join(home, 'svc.db'), {readOnly: true})
      const said = database
        .prepare(
          "SELECT 1 FROM events e JOIN turns t ON t.id = e.turn_id WHERE t.status = 'running' AND e.body ->> 'type' = 'text.delta'",
        )
        .get()
      database.close()
      if (said) return
    } catch {
      // The store is not there yet.
    }
  }
  throw new Error('The turn said nothing.')
}
