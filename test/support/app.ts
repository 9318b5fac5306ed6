import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {type Incoming, receive} from '../../src/core/agent/receive.js'
import type {FinishedTurn, Turn} from '../../src/core/agent/turn.js'
import type {TurnEvent} from '../../src/core/agent/turn-event.js'
import type {App} from '../../src/core/app.js'
import {type AppOptions, createApp} from '../../src/core/create-app.js'
import type {ModelFacts, Models} from '../../src/core/models/models.js'
import {createScriptedProvider, type Script, type ScriptedProvider} from '../../src/core/testing/scripted-provider.js'
import {tempFolder} from './temp.js'

interface TestAppOptions extends Omit<AppOptions, 'home'> {
  home?: string
  config?: object
  /** What the model `test/model` does; with names, the models `NAME/model`. */
  script?: Script
  scripts?: Record<string, Script>
  facts?: Partial<ModelFacts>
  /** Whether the price of the models is known; it is a thousandth of a dollar a token. */
  priced?: boolean
}

export interface TestApp extends App {
  providers: Record<string, ScriptedProvider>
}

/** The real app over a real home, in which only the model is a script. Close it. */
export async function testApp({
  home,
  config,
  script = [],
  scripts = {test: script},
  facts,
  priced = true,
  ...options
}: TestAppOptions = {}): Promise<TestApp> {
  const folder = home ?? (await tempFolder())
  if (config) await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  const providers = Object.fromEntries(
    Object.entries(scripts).map(([name, steps]) => [name, createScriptedProvider(name, steps)]),
  )
  const models = scriptedModels(providers, facts, priced)
  const app = await createApp({env: {}, stderr: 'off', retryBaseMs: 1, models, ...options, home: folder})
  return Object.assign(app, {providers})
}

function scriptedModels(providers: Record<string, ScriptedProvider>, facts: Partial<ModelFacts> = {}, priced = true): Models {
  const resolve = (name: string) => ({id: name, provider: name.split('/')[0] ?? '', modelId: 'model', alias: null})
  return {
    resolve,
    defaultModel: () => resolve(`${Object.keys(providers)[0]}/model`),
    providerNames: () => Object.keys(providers),
    provider: async (name) => providers[name] as ScriptedProvider,
    timeoutMs: () => 200,
    facts: async () => ({contextWindow: null, maxOutput: null, ...facts}),
    price: async (_model, usage) => ({...usage, costUsd: priced ? (usage.inputTokens + usage.outputTokens) / 1000 : null}),
  }
}

/** Sends a message and waits for what becomes of it. */
export async function send(app: App, text: string, more: Partial<Incoming> = {}): Promise<Turn> {
  const {turn} = await receive(app, {text, channel: 'cli', ...more})
  return app.engine.outcome(turn.id)
}

/** Like `send`, for a turn that must end. */
export async function sendToEnd(app: App, text: string, more: Partial<Incoming> = {}): Promise<FinishedTurn> {
  const turn = await send(app, text, more)
  if (!('finishedAt' in turn)) throw new Error(`The turn is ${turn.status}.`)
  return turn
}

export async function eventsOf(app: App, turnId: string): Promise<TurnEvent[]> {
  return app.store.events.ofTurn(turnId, 0, 10_000)
}

export const typesOf = (events: TurnEvent[]): string[] => events.map((event) => event.type)
