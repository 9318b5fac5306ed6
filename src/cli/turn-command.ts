import {Flags} from '@oclif/core'
import {type Incoming, receive} from '../core/agent/receive.js'
import type {Turn} from '../core/agent/turn.js'
import type {App} from '../core/app.js'
import {SvcError} from '../core/errors.js'
import {SvcCommand} from '../svc-command.js'
import {describeFailure} from './failure.js'
import {finishTakenOver} from './finish-taken-over.js'
import {followTurn} from './follow-turn.js'
import {given} from './given.js'
import {ReplyPrinter} from './reply-printer.js'
import {failureOf, reportTurn} from './turn-report.js'

export const streamFlag = {
  'json-stream': Flags.boolean({description: 'print every event of the turn as a line of JSON', exclusive: ['json']}),
}

/** Base of the commands that start a turn and print what it says. */
export abstract class TurnCommand extends SvcCommand {
  readonly #terminated = new AbortController()

  /**
   * Sends the message and prints the reply. Ctrl-C cancels the turn; SIGTERM leaves it to the next process.
   *
   * @returns what `--json` prints
   * @throws SvcError why there is no reply
   */
  protected async converse(incoming: Omit<Incoming, 'channel'>): Promise<object> {
    process.once('SIGTERM', () => this.#terminated.abort())
    const interruption = this.interruption()
    const app = await this.app()
    const takenOver = await app.engine.recover()
    if (takenOver > 0) this.info(`Going on with what another svc process left unfinished (${takenOver}).`)
    if (interruption.aborted) throw new SvcError('cancelled', 'Nothing was sent.')

    const {turn} = await receive(app, {...incoming, channel: 'cli'})
    const cancel = () => void app.engine.cancel(turn.id, 'cli').catch(() => undefined)
    if (interruption.aborted) cancel()
    interruption.addEventListener('abort', cancel)
    if (turn.status === 'queued') this.info(`Waiting for what is running before it in session ${turn.sessionId}.`)

    await this.#print(app, turn)
    const conclusion = await this.#conclude(app, turn.id)
    const stop = AbortSignal.any([interruption, this.#terminated.signal])
    if (takenOver > 0) await finishTakenOver(app, {say: (text) => this.info(text), stop})
    if (conclusion instanceof SvcError) throw conclusion
    return conclusion
  }

  async #print(app: App, turn: Turn): Promise<void> {
    const firstSign = Promise.withResolvers<void>()
    const spinner = this.waiting('Thinking', firstSign.promise)
    const before = () => {
      firstSign.resolve()
      return spinner
    }
    const {stdout, stderr} = process
    const detailed = Boolean(stderr.isTTY) || this.verbose
    const printer = new ReplyPrinter({stdout, stderr, detailed, quiet: given(this.argv, 'quiet'), before})
    try {
      for await (const event of followTurn(app, turn.id, this.#terminated.signal)) {
        if (this.#streams) stdout.write(`${JSON.stringify(event)}\n`)
        else if (!this.jsonEnabled()) await printer.show(event)
      }
    } catch (error) {
      if (!this.#terminated.signal.aborted) throw error
      await app.close(0)
      throw new SvcError('interrupted', 'svc was told to stop.', {
        hint: `svc turns show ${turn.id}`,
        cause: new Error('The turn is kept; a running gateway or the next svc command goes on with it.'),
      })
    } finally {
      await before()
    }
  }

  /** What to print of the turn's end, or what to throw. */
  async #conclude(app: App, turnId: string): Promise<object | SvcError> {
    const turn = (await app.store.turns.get(turnId)) as Turn
    const report = await reportTurn(app, turn)
    const failure = await failureOf(app, turn)
    if (!failure) return report
    if (!this.jsonEnabled()) return failure
    const {stack, ...error} = describeFailure(failure, '')
    process.exitCode = error.exit
    return {...report, ok: false, error}
  }

  get #streams(): boolean {
    const end = this.argv.indexOf('--')
    return this.argv.slice(0, end === -1 ? undefined : end).includes('--json-stream')
  }

  override jsonEnabled(): boolean {
    return super.jsonEnabled() || this.#streams
  }

  /** The stream of events says it all. */
  override logJson(json: unknown): void {
    if (!this.#streams) super.logJson(json)
  }

  protected override async catch(error: Error): Promise<void> {
    await super.catch(error)
    if (this.#terminated.signal.aborted) process.exitCode = 143
  }
}
