import type {TurnEventBody} from './turn-event.js'

/** Text is written in pieces this far apart: readers see it flow, and the store is not asked for every token. */
const INTERVAL_MS = 25

/** Collects the text of a step and writes it to the event log now and then. */
export class Deltas {
  readonly #write: (events: TurnEventBody[]) => Promise<void>
  #waiting: TurnEventBody[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #shown = ''

  /** @param write must not reject */
  constructor(write: (events: TurnEventBody[]) => Promise<void>) {
    this.#write = write
  }

  /** The text of this step that readers have or will have. */
  get text(): string {
    return this.#shown
  }

  add(type: 'text.delta' | 'reasoning.delta', text: string): void {
    if (type === 'text.delta') this.#shown += text
    const last = this.#waiting.at(-1)
    if (last?.type === type) last.text += text
    else this.#waiting.push({type, text})
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#write(this.#takeWaiting())
    }, INTERVAL_MS)
  }

  /** Ends the step: what is still unwritten, for the transaction that ends it. */
  async take(): Promise<TurnEventBody[]> {
    const rest = this.#takeWaiting()
    this.#shown = ''
    await this.#writing
    return rest
  }

  /** The step is made again. @returns what tells the readers to forget its text */
  async reset(): Promise<TurnEventBody[]> {
    const shown = this.#shown !== ''
    await this.take()
    return shown ? [{type: 'text.reset'}] : []
  }

  #takeWaiting(): TurnEventBody[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }
}
