import {styleText} from 'node:util'
import type {TurnEvent} from '../core/agent/turn-event.js'
import {callText} from './call-text.js'
import {oneLine, plain} from './plain.js'
import {usageText} from './usage-text.js'

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

interface Printing {
  stdout: Output
  stderr: Output
  /** Tool calls and usage are told, not only retries. */
  detailed: boolean
  quiet: boolean
  /** Waited for before anything is printed: the spinner must be gone by then. */
  before(): Promise<unknown>
}

/**
 * Prints a turn as it happens: the reply on stdout, what happens besides on stderr. A terminal sees the text at once, and a note
 * when it was taken back. Anything else gets a step's text when the step is over, so that it never holds what was taken back.
 */
export class ReplyPrinter {
  readonly #options: Printing
  readonly #live: boolean
  /** Text of the step under way. */
  #text = ''
  /** What the terminal shows ends in the middle of a line. */
  #midLine = false

  constructor(options: Printing) {
    this.#options = options
    this.#live = options.stdout.isTTY ?? false
  }

  async show(event: TurnEvent): Promise<void> {
    switch (event.type) {
      case 'text.delta':
        this.#text += event.text
        if (this.#live) await this.#write(plain(event.text))
        return
      case 'turn.retrying':
        return this.#note(
          `${sentence(event.reason)} Trying ${event.model} again${waitText(event.delayMs)} (attempt ${event.attempt}).`,
        )
      case 'text.reset':
        this.#text = ''
        if (this.#live) await this.#note('The text above was broken off; the answer starts again.')
        return
      case 'tool.started':
        await this.#endStep()
        return this.#detail(`→ ${callText(event.name, event.input)}`)
      case 'tool.finished':
        await this.#endStep()
        if (event.status !== 'done') await this.#detail(`  ${event.name}: ${event.status}`)
        return
      case 'approval.requested':
        return this.#endStep()
      case 'turn.completed': {
        // The deltas may have been lost when the disk was full; the reply is what counts.
        const lost = this.#text.endsWith(event.reply) ? '' : event.reply
        if (lost !== '' && this.#live) await this.#write(plain(this.#text === '' ? lost : `\n${lost}`))
        else if (lost !== '') this.#text = lost
        await this.#endStep()
        return this.#detail([event.model, usageText(event.usage)].filter(Boolean).join(' · '))
      }
      case 'turn.failed':
      case 'turn.cancelled':
        return this.#endStep()
      default:
        return
    }
  }

  /** The text can not be taken back any more. */
  async #endStep(): Promise<void> {
    if (!this.#live && this.#text !== '') await this.#write(this.#text)
    this.#text = ''
    if (this.#midLine) await this.#write('\n')
  }

  async #write(text: string): Promise<void> {
    if (text === '') return
    await this.#options.before()
    this.#options.stdout.write(text)
    this.#midLine = !text.endsWith('\n')
  }

  async #detail(text: string): Promise<void> {
    if (this.#options.detailed) await this.#note(text)
  }

  async #note(text: string): Promise<void> {
    if (this.#options.quiet) return
    if (this.#live && this.#midLine) await this.#write('\n')
    await this.#options.before()
    const line = oneLine(text)
    this.#options.stderr.write(`${this.#options.stderr.isTTY ? styleText('dim', line, {stream: process.stderr}) : line}\n`)
  }
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const waitText = (delayMs: number): string => (delayMs >= 1000 ? ` in ${Math.round(delayMs / 1000)} s` : '')
