import {createModels, type ModelsConfig, type ModelsOptions} from '../../../src/core/models/create-models.js'
import type {Models} from '../../../src/core/models/models.js'
import {ProviderFailure, type StepPart, type StepRequest} from '../../../src/core/models/provider.js'
import type {Protocol} from '../../support/model-server.js'

export const today = new Date('2026-11-21T12:00:00Z')

/** Looks like a key; no message may show a piece of it. */
export const secretKey = 'sk-proj-Zq81LmNv72xTfe0'

/** One provider of each kind, named by its protocol, all at the same address. */
export const protocols: readonly Protocol[] = ['openai', 'openai-compatible', 'anthropic']

export function models(config: Partial<ModelsConfig> = {}, rest: Partial<ModelsOptions> = {}): Models {
  return createModels({config: {aliases: {}, providers: {}, ...config}, env: {}, now: () => today, ...rest})
}

export function modelsAt(baseURL: string): Models {
  const providers = Object.fromEntries(protocols.map((kind) => [kind, {kind, baseURL, apiKey: secretKey}]))
  return models({providers})
}

export const timeTool = {
  name: 'time',
  description: 'Tells the time.',
  inputSchema: {type: 'object', properties: {zone: {type: 'string'}}},
}

export function request(changes: Partial<StepRequest> = {}): StepRequest {
  return {
    modelId: 'test-model',
    system: 'Be brief.',
    messages: [{role: 'user', content: 'ping'}],
    tools: [timeTool],
    maxOutputTokens: 256,
    thinking: undefined,
    timeoutMs: 5000,
    signal: new AbortController().signal,
    ...changes,
  }
}

export type Finish = Extract<StepPart, {type: 'finish'}>

export interface Outcome {
  text: string
  reasoning: string
  finish?: Finish
  failure?: ProviderFailure
}

/** Runs one step to its end. Errors that are no ProviderFailure are thrown, for they are bugs. */
export async function step(from: Models, provider: string, changes: Partial<StepRequest> = {}): Promise<Outcome> {
  const outcome: Outcome = {text: '', reasoning: ''}
  const source = await from.provider(provider)
  try {
    for await (const part of source.streamStep(request(changes))) {
      if (outcome.finish) throw new Error(`A ${part.type} came after the finish.`)
      if (part.type === 'finish') outcome.finish = part
      else outcome[part.type] += part.text
    }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    if (outcome.finish) throw new Error('It failed after the finish.')
    outcome.failure = error
  }
  return outcome
}
