import type {Usage} from '../usage/usage.js'
import type {ModelFacts} from './models.js'
import {presetByName} from './presets.js'
import type {StepUsage} from './provider.js'

/** A model as the price data knows it, named by our provider and its id there. */
interface PricedModel {
  provider: string
  modelId: string
  /** Where a provider without a preset is reached, so that the data can tell whose it is. */
  baseURL: string
}

type PriceData = typeof import('@pydantic/genai-prices')

/** The bundled data, 27 ms and 15 MB to load: only when a price is asked for. It never updates itself over the network. */
let data: Promise<PriceData> | undefined

function priceData(): Promise<PriceData> {
  data ??= import('@pydantic/genai-prices')
  return data
}

const noFacts: ModelFacts = {contextWindow: null, maxOutput: null}

export async function factsOf(model: PricedModel): Promise<ModelFacts> {
  const found = calculate(await priceData(), model, {input_tokens: 0}, undefined)
  return found ? {contextWindow: found.model.context_window ?? null, maxOutput: null} : noFacts
}

/** What the step cost at that moment's prices; `costUsd` is null when the data has no such model. */
export async function priceOf(model: PricedModel, usage: StepUsage, at: Date): Promise<Usage> {
  const {inputTokens, outputTokens} = usage
  const cachedTokens = Math.min(usage.cachedTokens, inputTokens)
  const cacheWriteTokens = Math.min(usage.cacheWriteTokens ?? 0, inputTokens - cachedTokens)
  const tokens = {
    input_tokens: inputTokens,
    cache_read_tokens: cachedTokens,
    cache_write_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  }
  const found = calculate(await priceData(), model, tokens, at)
  return {inputTokens, outputTokens, cachedTokens, costUsd: found?.total_price ?? (isOnThisMachine(model) ? 0 : null)}
}

/** A model server of one's own sends no bills. */
function isOnThisMachine({provider, baseURL}: PricedModel): boolean {
  if (presetByName.get(provider)?.pricesId || !URL.canParse(baseURL)) return false
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseURL).hostname)
}

function calculate(prices: PriceData, model: PricedModel, tokens: Record<string, number>, at: Date | undefined) {
  const providerId = presetByName.get(model.provider)?.pricesId ?? providerAt(prices, model.baseURL)
  if (!providerId) return null
  try {
    const found = prices.calcPrice(tokens, model.modelId, {providerId, ...(at && {timestamp: at})})
    return found && isSameModel(found.model.id, model.modelId) ? found : null
  } catch {
    // A unit the data has no price for, such as cache writes of a model that is not known to have them.
    return null
  }
}

const providerByAddress = new Map<string, string | undefined>()

/** Whose the address is. Looked up once: the data tries the pattern of every provider, three times a turn. */
function providerAt(prices: PriceData, baseURL: string): string | undefined {
  if (!providerByAddress.has(baseURL)) providerByAddress.set(baseURL, prices.findProvider({providerApiUrl: baseURL})?.id)
  return providerByAddress.get(baseURL)
}

/** The data matches by prefix, so it takes `claude-sonnet-5-5` for `claude-sonnet-5`: only a date or `latest` may differ. */
function isSameModel(known: string, asked: string): boolean {
  return bareName(known) === bareName(asked)
}

function bareName(id: string): string {
  const plain = id.toLowerCase().replaceAll('.', '-')
  return plain.replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '')
}
