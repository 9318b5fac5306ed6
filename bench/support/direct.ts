import {createOpenAICompatible} from '@ai-sdk/openai-compatible'
import {dynamicTool, isStepCount, jsonSchema, type ModelMessage, streamText, type ToolSet} from 'ai'
import type {Gateway} from './gateway.js'
import {Client} from './gateway.js'
import type {Stub} from './stub.js'

globalThis.AI_SDK_LOG_WARNINGS = false

interface SentBody {
  messages: {role: string; content: string}[]
  tools: {function: {name: string; description: string; parameters: Record<string, unknown>}}[]
  max_tokens: number
}

/** The same model call without svc around it: the AI SDK alone, with the prompt and the tools that svc sends. */
export class Direct {
  readonly #provider: ReturnType<typeof createOpenAICompatible>
  readonly #system: string
  readonly #tools: ToolSet = {}
  readonly #maxOutputTokens: number

  private constructor(stub: Stub, {messages, tools, max_tokens}: SentBody) {
    this.#provider = createOpenAICompatible({name: 'stub', baseURL: stub.baseURL, apiKey: 'test', includeUsage: true})
    this.#system = messages[0]?.content ?? ''
    this.#maxOutputTokens = max_tokens
    for (const {function: declared} of tools) {
      const inputSchema = jsonSchema(declared.parameters)
      this.#tools[declared.name] = dynamicTool({description: declared.description, inputSchema} as never)
    }
  }

  /** Learns from a turn of the gateway what to send. */
  static async like(gateway: Gateway, stub: Stub): Promise<Direct> {
    const client = await Client.connect(gateway.port)
    await client.send({message: 'ping', session: 'new'})
    client.close()
    return new Direct(stub, JSON.parse(await stub.last()) as SentBody)
  }

  /** One step to a text. */
  async text(message: string): Promise<void> {
    await this.#step('instant', [{role: 'user', content: message}])
  }

  /** Two steps: two tool calls, whose results are there already, then the text. */
  async twoTools(message: string): Promise<void> {
    const messages: ModelMessage[] = [{role: 'user', content: message}]
    const said = await this.#step('two-tools', messages)
    const calls = said.flatMap(({content}) =>
      typeof content === 'string' ? [] : content.filter((part) => part.type === 'tool-call'),
    )
    const results = calls.map(({toolCallId, toolName}) => {
      return {type: 'tool-result' as const, toolCallId, toolName, output: {type: 'text' as const, value: 'nothing'}}
    })
    await this.#step('two-tools', [...messages, ...said, {role: 'tool', content: results}])
  }

  async #step(model: string, messages: ModelMessage[]) {
    const result = streamText({
      model: this.#provider(model),
      instructions: this.#system,
      messages,
      tools: this.#tools,
      maxOutputTokens: this.#maxOutputTokens,
      maxRetries: 0,
      stopWhen: isStepCount(1),
    })
    for await (const part of result.stream) if (part.type === 'error') throw part.error
    return (await result.responseMessages).filter((message) => message.role === 'assistant')
  }
}
