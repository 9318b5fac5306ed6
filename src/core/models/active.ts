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

/** The model that messages go to when neither they nor their session name one. */
export async function activeModel(app: Pick<App, 'store' | 'models' | 'log'>): Promise<ResolvedModel> {
  const written = await app.store.state.get(KEY)
  if (written === undefined) return app.models.defaultModel()
  try {
    return app.models.resolve(written)
  } catch (error) {
    // Its alias or provider was removed from the configuration since.
    if (!(error instanceof SvcError)) throw error
    app.log.warn('The active model cannot be used; the default is used instead.', {model: written, error: error.message})
    return app.models.defaultModel()
  }
}

/**
 * Makes `name` the active model.
 *
 * @param by who asks, for the audit: `cli`, `gateway`, …
 * @throws SvcError `unknown-model`, `provider-not-configured`
 */
export async function switchModel(
  app: Pick<App, 'store' | 'models' | 'log' | 'now'>,
  name: string,
  by: string,
): Promise<{model: ModelRef; previous: ModelRef}> {
  const model = app.models.resolve(name)
  const previous = await activeModel(app).catch((error: unknown) => {
    // The default may name a provider that is not set up, and switching is the way out. There is nothing to go back to then.
    if (error instanceof SvcError) return model
    throw error
  })
  // As it was named, so that an alias goes on to mean what the configuration says.
  await app.store.state.set(KEY, model.alias ?? model.id, by, app.now().toISOString())
  app.log.info('Switched the active model.', {model: model.id, previous: previous.id, by})
  return {model: toRef(model), previous: toRef(previous)}
}
