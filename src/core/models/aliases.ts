import type {App} from '../app.js'
import {getIn, setIn, unsetIn} from '../config/key-path.js'
import {updateConfig} from '../config/write.js'
import {SvcError} from '../errors.js'
import {presetByName} from './presets.js'

type Parts = Pick<App, 'home' | 'models'>

/** What an alias led to before and leads to now, as written; null: there was or is none. */
export interface AliasChange {
  alias: string
  model: string | null
  previous: string | null
  /** What the owner should know, in sentences. */
  notes: string[]
}

/**
 * Writes the alias into the configuration. The provider need not be set up yet, but it has to be one that is known.
 *
 * @throws SvcError `invalid-input` the name is taken by a provider, or the aliases would go round in a circle; `unknown-model`
 */
export async function setAlias({home, models}: Parts, alias: string, model: string): Promise<AliasChange> {
  if (models.providerNames().includes(alias) || presetByName.has(alias)) {
    throw new SvcError('invalid-input', `"${alias}" is the name of a provider.`, {
      hint: `svc model alias set my-${alias} ${model}`,
    })
  }
  let previous: string | null = null
  let notes: string[] = []
  await updateConfig(home, (draft) => {
    const aliases = aliasesIn(draft)
    refuseCircle(aliases, alias, model)
    notes = checkTarget(models, model)
    previous = aliases[alias] ?? null
    setIn(draft, ['models', 'aliases', alias], model)
  })
  return {alias, model, previous, notes}
}

/** @throws SvcError `not-found` */
export async function removeAlias({home}: Parts, alias: string): Promise<AliasChange> {
  let previous: string | null = null
  let notes: string[] = []
  await updateConfig(home, (draft) => {
    const aliases = aliasesIn(draft)
    previous = aliases[alias] ?? null
    if (!unsetIn(draft, ['models', 'aliases', alias])) {
      throw new SvcError('not-found', `There is no alias ${JSON.stringify(alias)}.`, {hint: 'svc model'})
    }
    const followers = Object.keys(aliases).filter((other) => aliases[other] === alias)
    notes = followers.map((other) => `The alias "${other}" led to it and leads nowhere now.`)
    if (getIn(draft, ['models', 'default']) === alias) notes.push('models.default names it still.')
  })
  return {alias, model: null, previous, notes}
}

function aliasesIn(draft: object): Record<string, string> {
  return (getIn(draft, ['models', 'aliases']) ?? {}) as Record<string, string>
}

function refuseCircle(aliases: Record<string, string>, alias: string, model: string): void {
  const path = [alias]
  for (
    let name: string | undefined = model;
    name !== undefined;
    name = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  ) {
    path.push(name)
    if (name === alias) {
      throw new SvcError('invalid-input', `The aliases would go round in a circle: ${path.join(' → ')}.`, {
        hint: `svc model alias set ${alias} PROVIDER/MODEL`,
      })
    }
    // A circle that the file has already.
    if (path.indexOf(name) < path.length - 1) return
  }
}

/** @returns what is still missing before it can be used */
function checkTarget(models: App['models'], model: string): string[] {
  try {
    models.resolve(model)
    return []
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'provider-not-configured') throw error
    const provider = model.split('/')[0] ?? ''
    const known = !model.includes('/') || presetByName.has(provider) || models.providerNames().includes(provider)
    if (known) return [`${error.message} ${error.hint ?? ''}`.trim()]
    throw new SvcError('unknown-model', `There is no provider "${provider}" for the model ${model}.`, {hint: error.hint})
  }
}
