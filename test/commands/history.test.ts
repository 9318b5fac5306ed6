import {expect} from 'chai'
import {runSvc} from '../support/run-svc.js'
import {tempFolder} from '../support/temp.js'

describe('svc sessions, turns and search', () => {
  let home: string

  before(async function () {
    this.timeout(20_000)
    home = await tempFolder()
    for (const [text, session] of [
      ['remember the blue elephant', 'zoo'],
      ['what time is it', 'clock'],
      ['help with the elephant', 'zoo'],
    ] as const) {
      await runSvc(['message', text, '--session', session], {home})
    }
  })

  const json = async (...args: string[]) => JSON.parse((await runSvc([...args, '--json'], {home})).stdout)

  it('lists as tab-separated lines with ISO times in a pipe', async () => {
    const {code, stdout} = await runSvc(['sessions', 'list'], {home})
    expect(code).to.equal(0)
    const [latest, ...others] = stdout.trimEnd().split('\n')
    expect(latest).to.match(/^zoo\t\d{4}-\d\d-\d\dT[\d:.]+Z\tassistant\tcli\tremember the blue elephant$/)
    expect(others).to.have.length(1)
  })

  it('names its rows by their plural, a page at a time', async () => {
    const first = await json('turns', 'list', '--limit', '2')
    expect(first.turns.map(({message}: {message: string}) => message)).to.deep.equal([
      'help with the elephant',
      'what time is it',
    ])
    const rest = await json('turns', 'list', '--limit', '2', '--cursor', first.nextCursor)
    expect([rest.turns.length, rest.nextCursor]).to.deep.equal([1, null])
    expect((await json('sessions', 'list', '--limit', '1')).sessions).to.have.length(1)
    expect((await json('turns', 'list', '--session', 'clock', '--status', 'completed')).turns).to.have.length(1)
  })

  it('tells on stderr that there is more, and what fits no list', async () => {
    const {stderr} = await runSvc(['turns', 'list', '--limit', '1'], {home})
    expect(stderr).to.match(/^There is more: add --cursor \S+\n$/)
    for (const args of [
      ['--cursor', 'x'],
      ['--limit', '0'],
      ['--limit', '201'],
      ['--status', 'odd'],
    ]) {
      expect((await runSvc(['turns', 'list', ...args], {home})).code, args.join(' ')).to.equal(2)
    }
  })

  it('shows a conversation in the order in which it was said', async () => {
    const {stdout} = await runSvc(['sessions', 'show', 'zoo'], {home})
    expect(stdout).to.match(/^Session\tzoo\nTitle\tremember the blue elephant\n/)
    expect(stdout.indexOf('\nremember the blue elephant\n')).to.be.lessThan(stdout.indexOf('\nhelp with the elephant\n'))
    const shown = await json('sessions', 'show', 'zoo')
    expect(shown.session).to.include({id: 'zoo', agentId: 'assistant'})
    expect(shown.messages[0].message).to.deep.equal({role: 'user', content: 'remember the blue elephant'})
  })

  it('shows a turn with its tool calls and its reply', async () => {
    const {turns} = await json('turns', 'list', '--session', 'clock')
    const {stdout} = await runSvc(['turns', 'show', turns[0].id], {home})
    expect(stdout).to.contain('Status\tcompleted\n').and.contain('\ntime() done\n').and.contain('\nReply:\nIt is ')
    const shown = await json('turns', 'show', turns[0].id)
    expect(shown.toolCalls[0]).to.include({name: 'time', status: 'done'})
  })

  it('does not know ids that are not there, not even odd ones', async () => {
    for (const args of [
      ['sessions', 'show', '../../etc/passwd'],
      ['sessions', 'show', 'nope'],
      ['turns', 'show', "'; --"],
      ['turns', 'cancel', 'nope'],
      ['turns', 'retry', 'nope'],
    ]) {
      const {code, stdout, stderr} = await runSvc(args, {home})
      expect([code, stdout], args.join(' ')).to.deep.equal([3, ''])
      expect(stderr).to.match(/^Error: There is no (session|turn) .*\nTry: svc (sessions|turns) list\n$/)
    }
  })

  it('does not cancel what is finished, and sends a message again', async () => {
    const {turns} = await json('turns', 'list', '--session', 'clock')
    const {code, stderr} = await runSvc(['turns', 'cancel', turns[0].id], {home})
    expect([code, stderr]).to.satisfy(([code, text]: [number, string]) => code === 1 && /completed already/.test(text))
    const again = await json('turns', 'retry', turns[0].id)
    expect(again).to.include({status: 'completed', sessionId: 'clock'})
    expect(again.turnId).to.not.equal(turns[0].id)
  })

  it('finds what was said: all words, phrases, a page at a time', async () => {
    const {stdout} = await runSvc(['search', 'elephant', 'remember', '--limit', '1'], {home})
    expect(stdout).to.match(/^\d{4}-\S+Z\tzoo\t(user|assistant)\t.*\[elephant\]/)
    const {hits} = await json('search', '"blue elephant"')
    expect(hits.at(-1)).to.include({sessionId: 'zoo', role: 'user'})
    const nothing = await runSvc(['search', 'giraffe'], {home})
    expect([nothing.code, nothing.stdout, nothing.stderr]).to.deep.equal([0, '', 'Nothing was found.\n'])
    expect((await runSvc(['search', '!!!'], {home})).code).to.equal(2)
    expect((await runSvc(['search'], {home})).code).to.equal(2)
  })
})
