import {Args} from '@oclif/core'
import {callText} from '../../cli/call-text.js'
import {formatDetails} from '../../cli/details.js'
import {plain} from '../../cli/plain.js'
import type {Cell} from '../../cli/table.js'
import {usageText} from '../../cli/usage-text.js'
import type {Turn} from '../../core/agent/turn.js'
import {SvcError} from '../../core/errors.js'
import {SvcCommand} from '../../svc-command.js'

export default class TurnsShow extends SvcCommand {
  static override summary = 'One turn: its state, tool calls and reply'
  static override examples = ['<%= config.bin %> turns show turn_mh2k9x0a7f3c']
  static override args = {id: Args.string({required: true, description: 'id of the turn, from svc turns list'})}

  async run(): Promise<object> {
    const {args} = await this.parse(TurnsShow)
    const app = await this.app()
    const turn = await app.store.turns.get(args.id)
    if (!turn) throw new SvcError('not-found', `There is no turn ${JSON.stringify(args.id)}.`, {hint: 'svc turns list'})
    const toolCalls = await app.store.turns.calls(turn.id)

    if (!this.jsonEnabled()) {
      const parts = [
        formatDetails(factsOf(turn), process.stdout.isTTY),
        `Message:\n${plain(turn.message)}\n`,
        toolCalls.map(({name, input, status}) => `${callText(name, input)} ${status}\n`).join(''),
        endOf(turn),
      ]
      process.stdout.write(parts.filter(Boolean).join('\n'))
    }
    return {turn, toolCalls}
  }
}

function factsOf(turn: Turn): Record<string, Cell> {
  const {id, status, sessionId, agentId, channel, model, createdAt, takeovers} = turn
  return {
    Turn: id,
    Status: status,
    Session: sessionId,
    Agent: agentId,
    Channel: channel,
    Model: model,
    Created: new Date(createdAt),
    Started: 'startedAt' in turn && turn.startedAt ? new Date(turn.startedAt) : null,
    Finished: 'finishedAt' in turn ? new Date(turn.finishedAt) : null,
    'Taken over': takeovers || null,
    Usage: ('usage' in turn && usageText(turn.usage)) || null,
  }
}

function endOf(turn: Turn): string {
  switch (turn.status) {
    case 'completed':
      return `Reply:\n${plain(turn.reply)}\n`
    case 'cancelled':
      return turn.partial && `Said before it was cancelled:\n${plain(turn.partial)}\n`
    case 'failed':
    case 'interrupted':
      return `${[turn.error.detail, turn.error.hint && `Try: ${turn.error.hint}`]
        .filter(Boolean)
        .map((line) => plain(line ?? ''))
        .join('\n')}\n`
    case 'awaiting-approval':
      return turn.approvals.map((approval) => `Waits for your answer: svc approvals show ${approval}\n`).join('')
    default:
      return ''
  }
}
