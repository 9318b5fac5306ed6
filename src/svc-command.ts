import {Command, Flags, type Interfaces} from '@oclif/core'
import {reportFailure} from './cli/failure.js'
import {type BaseFlag, given} from './cli/given.js'
import {plain} from './cli/plain.js'
import {type Columns, formatTable} from './cli/table.js'
import {waiting} from './cli/waiting.js'
import type {App} from './core/app.js'
import {SvcError} from './core/errors.js'

/**
 * Base of every command. What `run()` returns is what `--json` prints, in one object with `schemaVersion` and `ok`; what it throws
 * becomes an exit code, an explanation and a suggestion. A command that did its work but has bad news (doctor) sets
 * `process.exitCode` and returns.
 */
export abstract class SvcCommand extends Command {
  static override enableJsonFlag = true
  static override baseFlags: Interfaces.FlagInput = {
    json: Flags.boolean({description: 'print one JSON object', helpGroup: 'GLOBAL'}),
    quiet: Flags.boolean({description: 'no progress on stderr', helpGroup: 'GLOBAL'}),
    verbose: Flags.boolean({description: 'more detail on stderr', helpGroup: 'GLOBAL'}),
    'no-input': Flags.boolean({description: 'never ask anything', helpGroup: 'GLOBAL'}),
    yes: Flags.boolean({description: 'answer every question with yes', helpGroup: 'GLOBAL'}),
    'no-color': Flags.boolean({description: 'no colours', helpGroup: 'GLOBAL'}),
  }

  /** For a command whose `--json` is a stream of lines that it prints itself (`serve`): only a failure is still printed here. */
  static streamsJson = false

  #app: Promise<App> | undefined
  #interruption: AbortSignal | undefined
  #failed = false
  readonly #warnings: string[] = []

  abstract override run(): Promise<object | void>

  /** Everything the core offers, built on first use and closed when the command ends. */
  protected app(): Promise<App> {
    this.#app ??= this.#createApp()
    return this.#app
  }

  async #createApp(): Promise<App> {
    const {createApp} = await import('./core/create-app.js')
    const app = await createApp()
    for (const warning of app.warnings) this.warn(warning)
    return app
  }

  /** Whether someone is there to answer a question: stdin is a terminal and neither `--no-input` nor `--json` was given. */
  protected get interactive(): boolean {
    return Boolean(process.stdin.isTTY) && !this.#given('no-input') && !this.#given('json')
  }

  protected get verbose(): boolean {
    return this.#given('verbose')
  }

  /** Progress and asides, on stderr. `--quiet` and `--json` silence them. */
  protected info(text: string): void {
    if (!this.#given('quiet') && !this.jsonEnabled()) process.stderr.write(`${text}\n`)
  }

  /** Waits for the work, with a spinner for whoever watches. */
  protected waiting<Result>(text: string, work: Promise<Result>): Promise<Result> {
    return this.#given('quiet') || this.jsonEnabled() ? work : waiting(text, work)
  }

  /** Prints rows on stdout: a table on a terminal, tab-separated lines in a pipe, nothing under `--json`. */
  protected table<Row>(rows: readonly Row[], columns: Columns<Row>): void {
    if (this.jsonEnabled()) return
    process.stdout.write(formatTable(rows, columns, process.stdout.isTTY ? (process.stdout.columns ?? 80) : undefined))
  }

  /**
   * Asks on the terminal before something that cannot be taken back; `--yes` answers.
   *
   * @throws SvcError `invalid-input` there is no one to ask
   */
  protected async confirm(question: string): Promise<boolean> {
    if (this.#given('yes')) return true
    if (!this.interactive) {
      throw new SvcError('invalid-input', `${question} No one is there to answer.`, {hint: `${this.#usage()} --yes`})
    }
    const {createInterface} = await import('node:readline/promises')
    const terminal = createInterface({input: process.stdin, output: process.stderr})
    try {
      return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
    } finally {
      terminal.close()
    }
  }

  /** Aborts at the first Ctrl-C, so that the command can stop its work and say what it kept; the second one ends the process. */
  protected interruption(): AbortSignal {
    if (!this.#interruption) {
      const controller = new AbortController()
      this.#interruption = controller.signal
      process.on('SIGINT', () => {
        if (controller.signal.aborted) process.exit(130)
        controller.abort()
      })
    }
    return this.#interruption
  }

  /** On stderr at once; under `--json` in the field `warnings` of the object. */
  override warn(input: Error | string): Error | string {
    const text = input instanceof Error ? input.message : input
    if (this.jsonEnabled()) this.#warnings.push(text)
    else process.stderr.write(`Warning: ${plain(text)}\n`)
    return input
  }

  protected override async init(): Promise<void> {
    await super.init()
    // oclif fills a missing argument from stdin, which would eat the text that `svc message` wants to read itself.
    for (const arg of Object.values(this.ctor.args)) arg.ignoreStdin = true
  }

  protected override async _run<Result>(): Promise<Result> {
    const result = await super._run<Result>()
    // oclif prints only a result that is there.
    if (!result && !this.#failed && this.jsonEnabled()) this.logJson(this.toSuccessJson({}))
    return result
  }

  override toSuccessJson(result: object): object {
    return {schemaVersion: 1, ok: true, ...result, ...(this.#warnings.length > 0 && {warnings: this.#warnings})}
  }

  override logJson(json: unknown): void {
    const streams = (this.constructor as typeof SvcCommand).streamsJson
    if (!streams) process.stdout.write(`${JSON.stringify(json, null, process.stdout.isTTY ? 2 : 0)}\n`)
  }

  protected override async catch(error: Error): Promise<void> {
    this.#failed = true
    const json = this.jsonEnabled()
    reportFailure(error, {json, verbose: this.verbose, warnings: this.#warnings, usage: `${this.#usage()} --help`})
  }

  protected override async finally(failure: Error | undefined): Promise<void> {
    if (!this.#app) return
    // When the app could not be built, or the command failed already, that is what the reader has to learn.
    const app = await this.#app.catch(() => undefined)
    if (failure) await app?.close().catch(() => undefined)
    else await app?.close()
  }

  #given(flag: BaseFlag): boolean {
    return given(this.argv, flag)
  }

  #usage(): string {
    return `${this.config.bin} ${(this.id ?? '').replaceAll(':', ' ')}`
  }
}
