import {distance} from 'fastest-levenshtein'
import {SvcError} from '../errors.js'
import type {ResolvedModel} from './models.js'
import {familyProviders, presetByName} from './presets.js'
import {type KnownProvider, notConfigured} from './provider-settings.js'
import {replacementFor} from './retired.js'

export interface ResolveContext {
  aliases: Record<string, string>
  providers: ReadonlyMap<string, KnownProvider>
  /** The provider that takes bare ids of unknown family; undefined when there is none that could. */
  fallbackProvider(): string | undefined
  now(): Date
}

/**
 * Trim → exact alias → `provider/model` → bare id with `-` or `.` → retirement.
 * @throws SvcError `invalid-input` an empty or unprintable name, a circle of aliases; `unknown-model`; `provider-not-configured`
 */
export function resolveModel(name: string, context: ResolveContext): ResolvedModel {
  const asked = checkName(name)
  const target = followAliases(asked, context.aliases)
  const alias = Object.hasOwn(context.aliases, asked) ? asked : null
  const {provider, modelId} = splitId(target, asked, context)

  const known = context.providers.get(provider)
  if (!known) throw notConfigured(provider)
  if (!known.usable) throw known.error

  const replacement = replacementFor(known.kind, modelId, context.now())
  if (!replacement) return {id: `${provider}/${modelId}`, provider, modelId, alias}
  return {id: `${provider}/${replacement}`, provider, modelId: replacement, alias, retiredFrom: `${provider}/${modelId}`}
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw new SvcError('invalid-input', 'The name of the model is empty.', {hint: 'svc model'})
  if (/[\s\p{C}]/u.test(trimmed) || trimmed.length > 256) {
    throw new SvcError('invalid-input', `A model's name is up to 256 visible characters without blanks, not ${quote(trimmed)}.`, {
      hint: 'svc model',
    })
  }
  return trimmed
}

function followAliases(name: string, aliases: Record<string, string>): string {
  const path = [name]
  let current = name
  while (Object.hasOwn(aliases, current)) {
    current = (aliases[current] ?? '').trim()
    const circle = path.includes(current)
    path.push(current)
    if (circle) {
      throw new SvcError('invalid-input', `The aliases go round in a circle: ${path.map(quote).join(' → ')}.`, {
        hint: `svc model alias set ${name} provider/model`,
      })
    }
  }
  return current
}

function splitId(target: string, asked: string, context: ResolveContext): {provider: string; modelId: string} {
  const slash = target.indexOf('/')
  if (slash > 0 && slash < target.length - 1) return {provider: target.slice(0, slash), modelId: target.slice(slash + 1)}

  const provider = slash === -1 && /[-.]/.test(target) ? providerOfBareId(target, context) : undefined
  if (provider) return {provider, modelId: target}
  throw unknownModel(target, asked, context)
}

function providerOfBareId(modelId: string, context: ResolveContext): string | undefined {
  const offering = [...context.providers.values()].filter(
    (provider) => provider.usable && presetByName.get(provider.name)?.catalogue.includes(modelId),
  )
  if (offering.length === 1) return offering[0]?.name
  const family = familyProviders(modelId)
  return family.find((name) => context.providers.get(name)?.usable) ?? family[0] ?? context.fallbackProvider()
}

function unknownModel(target: string, asked: string, context: ResolveContext): SvcError {
  const detail =
    target === asked
      ? `There is no model ${quote(asked)}.`
      : `The alias ${quote(asked)} leads to ${quote(target)}, which is no model.`
  const names = Object.keys(context.aliases)
  const near = nearest(target, names)
  if (near.length > 0) return new SvcError('unknown-model', detail, {hint: `Did you mean ${near.join(', ')}?`})
  const provider = target.replace(/\/$/, '')
  if (presetByName.has(provider) || context.providers.has(provider)) {
    const example = presetByName.get(provider)?.defaultModel ?? (provider === 'offline' ? 'assistant' : 'MODEL')
    return new SvcError('unknown-model', detail, {
      hint: `"${provider}" is a provider. Name one of its models: ${provider}/${example}`,
    })
  }
  const aliases = names.length > 0 ? ` or an alias: ${names.slice(0, 8).join(', ')}` : ''
  return new SvcError('unknown-model', detail, {hint: `Name it as provider/model${aliases}.`})
}

/** Up to three aliases that a slip of the keyboard may have meant, best first. */
function nearest(name: string, aliases: string[]): string[] {
  const wanted = name.toLowerCase()
  return aliases
    .map((alias) => ({alias, steps: distance(wanted, alias.toLowerCase())}))
    .filter(({alias, steps}) => steps <= Math.max(1, Math.floor(Math.max(wanted.length, alias.length) / 3)))
    .sort((left, right) => left.steps - right.steps)
    .slice(0, 3)
    .map(({alias}) => alias)
}

/** Quoted, with everything invisible made visible. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80)).replace(/\p{C}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
