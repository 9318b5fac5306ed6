import type {ProviderSettings} from '../provider-settings.js'

/** What must not show up in a message. */
export function secretsOf({apiKey, headers}: ProviderSettings): string[] {
  return [...(apiKey ? [apiKey] : []), ...Object.values(headers).filter((value) => value.length >= 12)]
}
