import {Flags} from '@oclif/core'
import {formatDetails} from '../cli/details.js'
import {findServer, type RunningServer} from '../cli/running-server.js'
import {SvcError} from '../core/errors.js'
import {describeStatus, type Status} from '../core/status.js'
import {SvcCommand} from '../svc-command.js'

export default class StatusCommand extends SvcCommand {
  static override summary = 'Whether the gateway runs, and what it is doing'
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --require-server --quiet || systemctl --user start svc',
  ]
  static override flags = {
    'require-server': Flags.boolean({description: 'exit 5 when no gateway runs, or it does not answer'}),
  }

  async run(): Promise<object> {
    const {flags} = await this.parse(StatusCommand)
    const app = await this.app()
    const server = await findServer(app)
    if (flags['require-server']) requireServer(server)
    // Uptime and start would be those of this command.
    const {uptime, startedAt, ...status} = await describeStatus(app)
    if (!this.jsonEnabled()) process.stdout.write(formatDetails(factsOf(status, server, app.home), process.stdout.isTTY))
    return {...status, home: app.home, server}
  }
}

function requireServer(server: RunningServer | null): void {
  if (!server) throw new SvcError('gateway-unreachable', 'No gateway is running in this home.', {hint: 'svc serve'})
  if (server.health !== 'unreachable') return
  throw new SvcError(
    'gateway-unreachable',
    `The gateway (process ${server.pid}) does not answer${server.url ? ` at ${server.url}` : ''}.`,
    {
      hint: 'svc serve',
    },
  )
}

function factsOf(
  {agent, model, turns, lastMessage, version}: Omit<Status, 'uptime' | 'startedAt'>,
  server: RunningServer | null,
  home: string,
) {
  return {
    Gateway: server ? serverText(server) : 'not running (commands work without it)',
    Model: `${model.alias === null ? model.id : `${model.alias} (${model.id})`}${model.error ? `: ${model.error}` : ''}`,
    Agent: agent.name === agent.id ? agent.id : `${agent.name} (${agent.id})`,
    Turns: `${turns.running} running, ${turns.queued} waiting, ${turns.awaiting} asking for approval`,
    'Last message': lastMessage && `${lastMessage.role} in ${lastMessage.sessionId}: ${lastMessage.text}`,
    'Last activity': lastMessage && new Date(lastMessage.at),
    Home: home,
    Version: version,
  }
}

function serverText({pid, url, health, uptime}: RunningServer): string {
  const state =
    health === 'ok' ? 'running' : health === 'degraded' ? 'running, but its store cannot be written' : 'does not answer'
  const since = uptime === null ? '' : `, for ${durationText(uptime)}`
  return `${state}${url ? ` at ${url}` : ''} (process ${pid}${since})`
}

/** The two largest units: `3 h 12 min`. */
function durationText(seconds: number): string {
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ]
  const first = units.findIndex(([, size]) => seconds >= size)
  if (first === -1) return '0 s'
  let rest = seconds
  return units
    .slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return count > 0 ? `${count} ${unit}` : ''
    })
    .filter(Boolean)
    .join(' ')
}
