import type {Usage} from '../usage/usage.js'
import type {ModelProvider, StepUsage} from './provider.js'

/** A model name that was resolved. */
export interface ResolvedModel {
  /** Full `provider/model`. */
  id: string
  provider: string
  /** The id at the provider, without the `provider/` part. */
  modelId: string
  /** The alias it was named by, else null. */
  alias: string | null
  /** The retired model that was asked for, when the table led to this one instead. */
  retiredFrom?: string
}

/** What is known of a model; null where the catalogue does not say. */
export interface ModelFacts {
  /** Tokens of input and output together. */
  contextWindow: number | null
  /** Tokens. */
  maxOutput: number | null
}

/** Everything about models that the turn engine, the commands and the endpoints ask for. Made by `createModels`. */
export interface Models {
  /**
   * Alias → `provider/model` → bare id → retirement.
   * @throws SvcError `invalid-input` an unprintable name, a circle of aliases; `unknown-model` with the nearest aliases as a hint;
   * `provider-not-configured`
   */
  resolve(name: string): ResolvedModel
  /** The model used when nothing names one: `models.default`, else the first provider with a key, else the offline model. */
  defaultModel(): ResolvedModel
  /** Names of the configured providers, `offline` included, in order. */
  providerNames(): string[]
  /** Loads the provider's code at its first use. @throws SvcError `provider-not-configured` */
  provider(name: string): Promise<ModelProvider>
  /** How long to wait for the provider's next sign of life, in milliseconds. */
  timeoutMs(provider: string): number
  facts(model: ResolvedModel): Promise<ModelFacts>
  /** Adds the price; `costUsd` is null when it is not known. */
  price(model: ResolvedModel, usage: StepUsage, at: Date): Promise<Usage>
}
