import {Flags} from '@oclif/core'
import {formatDetails} from '../cli/details.js'
import {announceServer} from '../cli/running-server.js'
import {stopSignal} from '../cli/stop-signal.js'
import type {App} from '../core/app.js'
import {SvcCommand} from '../svc-command.js'

/** How long what is under way may take when the server is told to stop. */
const drainMs = 10_000

const OPEN_TO_OTHERS =
  'gateway.allowRemote is on: the token protects the dashboard API only; whoever reaches this address can send messages.'

export default class Serve extends SvcCommand {
  static override summary = 'Run the gateway in the foreground'
  static override description = [
    'Serves HTTP until SIGTERM or Ctrl-C. It then takes nothing new, lets running turns finish for up to 10',
    'seconds, keeps the rest for the next start and exits 0; a second signal exits at once. SIGHUP is ignored, except that a',
    'terminal which is closed stops the gateway it shows.',
  ].join(' ')
  static override examples = ['<%= config.bin %> serve', '<%= config.bin %> serve --port 0 --json']
  static override flags = {
    port: Flags.integer({description: 'port instead of gateway.port; 0 takes any free one', min: 0, max: 65_535}),
    host: Flags.string({description: 'address instead of gateway.host'}),
  }
  static override streamsJson = true

  async run(): Promise<void> {
    const {flags} = await this.parse(Serve)
    const stopped = stopSignal()
    const [{createApp}, {startServer}] = await Promise.all([import('../core/create-app.js'), import('../server/serve.js')])
    const app = await createApp({kind: 'serve', stderr: this.jsonEnabled() ? 'json' : 'pretty'})
    try {
      Object.assign(
        app.config.gateway,
        flags.port !== undefined && {port: flags.port},
        flags.host !== undefined && {host: flags.host},
      )
      const server = await startServer(app)
      if (app.config.gateway.allowRemote) app.log.warn(OPEN_TO_OTHERS)
      await announceServer(app, server.url)
      this.#sayReady(app, server.url)
      await app.engine.recover()

      const signal = await stopped
      const deadline = Date.now() + drainMs
      this.#say('stopping', {signal}, 'Stopping: running turns may finish for up to 10 s. Press Ctrl-C again to exit at once.')
      await server.close(drainMs)
      await app.close(Math.max(0, deadline - Date.now()))
      this.#say('stopped', {}, 'Stopped.')
    } finally {
      await app.close(0)
    }
  }

  #sayReady(app: App, url: string): void {
    const facts = {Gateway: url, Log: app.config.logging.file}
    if (!this.jsonEnabled()) process.stdout.write(formatDetails(facts, process.stdout.isTTY))
    this.#say('ready', {url, pid: process.pid}, 'Press Ctrl-C to stop.')
  }

  /** A line of JSON on stdout, or words on stderr. */
  #say(event: string, facts: object, text: string): void {
    if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({event, ...facts})}\n`)
    else this.info(text)
  }
}
