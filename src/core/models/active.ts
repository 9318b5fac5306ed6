import type {App} from '../app.js'
import {SvcError} from '../errors.js'
import type {ResolvedModel} from './models.js'

/** State of the home, not configuration: it survives restarts and rewrites no file. */
const KEY = 'active-model'

export interface ModelRef {
  /** Full `provider/model`. */
  id: string
  alias: string | null
  provider: string
}

export const toRef = ({id, alias, provider}: ResolvedModel): ModelRef => ({id, alias, provider})

/** What the owner chose with `svc model`, as written; undefined when nothing was ever chosen. */
export const chosenModel = (app: Pick<App, 'store'>): Promise<string | undefined> => app.store.state.get(KEY)

/**
 * The model that messages go to when neither they nor their session name one.
 *
 * @throws SvcError `provider-not-configured`, `unknown-model`: what was chosen is not there any more. Another model is never
 * taken in its place, since it may cost money or send private words elsewhere.
 */
export async function activeModel(app: Pick<App, 'store' | 'models'>): Promise<ResolvedModel> {
  const written = await chosenModel(app)
  return written === undefined ? app.models.defaultModel() : app.models.resolve(written)
}

/** The active model for a status: when it cannot be used, its name as written and the reason. */
export async function describeActiveModel(app: Pick<App, 'store' | 'models' | 'config'>): Promise<ModelRef & {error?: string}> {
  try {
    return toRef(await activeModel(app))
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const written = (await chosenModel(app)) ?? app.config.models.default ?? ''
    return {id: written, alias: null, provider: written.includes('/') ? (written.split('/')[0] ?? '') : '', error: error.message}
  }
}

/**
 * Makes `name` the active model.
 *
 * @param name null takes the choice back: the default, and each agent's own model, count again
 * @param by who asks, for the audit: `cli`, `gateway`, …
 * @throws SvcError `unknown-model`, `provider-not-configured`
 */
export async function switchModel(
  app: Pick<App, 'store' | 'models' | 'config' | 'log' | 'now'>,
  name: string | null,
  by: string,
): Promise<{model: ModelRef; previous: ModelRef}> {
  const model = name === null ? app.models.defaultModel() : app.models.resolve(name)
  // The one before may name a provider that is not set up, and switching is the way out.
  const {error: _, ...previous} = await describeActiveModel(app)
  // As it was named, so that an alias goes on to mean what the configuration says.
  await app.store.state.set(KEY, name === null ? null : (model.alias ?? model.id), by, app.now().toISOString())
  app.log.info('Switched the active model.', {model: model.id, previous: previous.id, by})
  return {model: toRef(model), previous}
}
