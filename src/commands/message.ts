import {Args, Flags} from '@oclif/core'
import {readMessage} from '../cli/read-message.js'
import {streamFlag, TurnCommand} from '../cli/turn-command.js'

export default class Message extends TurnCommand {
  static override summary = 'Ask the agent, and see the reply as it arrives'
  static override description = `Without --session or --new the message joins the conversation "main".
Ctrl-C stops the turn and keeps what it said so far.`
  static override examples = [
    '<%= config.bin %> message what time is it in Tokyo',
    'git diff | <%= config.bin %> message "Review this change:" --new',
    '<%= config.bin %> message -f question.md --model gpt',
    '<%= config.bin %> message "and in Oslo?" --json',
  ]
  static override strict = false
  static override args = {text: Args.string({description: 'what you want to say; piped input goes after it'})}
  static override flags = {
    file: Flags.string({char: 'f', description: 'take the text from a file, "-" for stdin', helpValue: 'FILE'}),
    model: Flags.string({description: 'alias, provider/model or model id, for this message only'}),
    agent: Flags.string({description: 'id of the agent to ask'}),
    session: Flags.string({description: 'conversation to join; a new id opens one'}),
    new: Flags.boolean({description: 'open a new conversation', exclusive: ['session']}),
    ...streamFlag,
  }

  async run(): Promise<object> {
    const {argv, flags} = await this.parse(Message)
    const text = await readMessage({words: argv.map(String), file: flags.file, say: (note) => this.info(note)})
    const {model, agent} = flags
    return this.converse({text, model, agent, session: flags.new ? 'new' : flags.session})
  }
}
