import {randomUUID} from 'node:crypto'
import type {AssistantModelMessage} from 'ai'
import {type ModelProvider, ProviderFailure, type RequestedCall, type StepPart, type StepRequest} from '../provider.js'
import {answer} from './offline/answer.js'
import {understand} from './offline/grammar.js'
import {latestExchange} from './offline/messages.js'
import {offlineNotice} from './offline/notice.js'
import {phraseResults} from './offline/phrase.js'
import {isSummaryRequest, summarize} from './offline/summary.js'

const modelId = 'assistant'

/**
 * The model that needs no network: a documented grammar (docs/offline-model.md) that turns the user's words into real tool calls
 * and their results into sentences. It goes through the same engine, gate and journal as any other model.
 */
export function createOfflineProvider(): ModelProvider {
  return {name: 'offline', kind: 'offline', streamStep}
}

async function* streamStep(request: StepRequest): AsyncGenerator<StepPart> {
  request.signal.throwIfAborted()
  if (request.modelId !== modelId) {
    throw new ProviderFailure('model-not-found', `The offline provider has no model "${request.modelId}".`, {
      retryable: false,
      hint: `Its only model is offline/${modelId}.`,
    })
  }
  if (isSummaryRequest(request)) return yield* say(summarize(request.messages), request.signal)

  const {userText, results} = latestExchange(request.messages)
  if (results.length > 0) return yield* say(withNotice(phraseResults(results)), request.signal)

  const intent = understand(userText)
  const declared = request.tools.map((tool) => tool.name)
  if (intent.kind === 'call' && declared.includes(intent.tool)) return yield call(intent.tool, intent.input)
  yield* say(withNotice(answer(intent, declared, request.messages.length)), request.signal)
}

const withNotice = (text: string): string => `${text}\n\n${offlineNotice}`

function call(name: string, input: Record<string, unknown>): StepPart {
  // Unique beyond this conversation's turns: another provider may have to read the history, and some refuse repeated ids.
  const id = `call_${randomUUID().replaceAll('-', '')}`
  return finish([{type: 'tool-call', toolCallId: id, toolName: name, input}], [{id, name, input}])
}

async function* say(text: string, signal: AbortSignal): AsyncGenerator<StepPart> {
  for (const chunk of chunksOfWords(text)) {
    signal.throwIfAborted()
    yield {type: 'text', text: chunk}
  }
  signal.throwIfAborted()
  yield finish([{type: 'text', text}], [])
}

/** No tokens are counted, for none are used. */
function finish(content: Exclude<AssistantModelMessage['content'], string>, calls: RequestedCall[]): StepPart {
  const usage = {inputTokens: 0, outputTokens: 0, cachedTokens: 0}
  return {type: 'finish', messages: [{role: 'assistant', content}], calls, usage}
}

/** Four words each, more in a long text: at most about 24 chunks. */
function chunksOfWords(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? [text]
  const size = Math.max(4, Math.ceil(words.length / 24))
  return Array.from({length: Math.ceil(words.length / size)}, (_, at) => words.slice(at * size, (at + 1) * size).join(''))
}
