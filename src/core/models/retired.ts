import type {ProviderKind} from './provider.js'

/** A model its maker shut down, and what to use instead. */
export interface RetiredModel {
  kind: ProviderKind
  id: string
  replacement: string
  /** First day it is gone, `YYYY-MM-DD` UTC. */
  from: string
  source: string
}

const openai = 'https://developers.openai.com/api/docs/deprecations, as quoted in October 2026'
const anthropic = 'https://platform.claude.com/docs/en/about-claude/model-deprecations, as quoted in November 2026'

/** `ids` holds several names of the same model, blank-separated. */
function retire(kind: 'openai' | 'anthropic', from: string, ids: string, replacement: string): RetiredModel[] {
  const source = kind === 'openai' ? openai : anthropic
  return ids.split(' ').map((id) => ({kind, id, replacement, from, source}))
}

/**
 * The only list of retired models. Replacements are the maker's own; where the maker's has been retired since, or is a generation
 * behind for Claude, it is the current model of the same tier. An id that is not here is left alone.
 */
export const retiredModels: readonly RetiredModel[] = [
  ...retire('openai', '2026-01-16', 'codex-mini-latest', 'gpt-5.3-codex'),
  ...retire('openai', '2026-02-17', 'chatgpt-4o-latest', 'gpt-5.5'),
  ...retire('openai', '2026-07-23', 'gpt-5-codex gpt-5.1-codex gpt-5.1-codex-max gpt-5.2-codex', 'gpt-5.4'),
  ...retire('openai', '2026-07-23', 'gpt-5.1-codex-mini', 'gpt-5.4-mini'),
  ...retire('openai', '2026-07-23', 'gpt-5-chat-latest gpt-5.1-chat-latest', 'gpt-5.5'),
  ...retire('openai', '2026-08-10', 'gpt-5.2-chat-latest gpt-5.3-chat-latest', 'gpt-5.5'),
  ...retire('openai', '2026-10-23', 'gpt-4 gpt-4-0613 gpt-4-1106-preview gpt-4-turbo gpt-4-turbo-2024-04-09', 'gpt-5.6-sol'),
  ...retire('openai', '2026-10-23', 'gpt-4o-2024-05-13', 'gpt-5.6-sol'),
  ...retire('openai', '2026-10-23', 'gpt-4.1-nano gpt-4.1-nano-2025-04-14', 'gpt-5.6-luna'),
  ...retire('openai', '2026-10-23', 'gpt-3.5-turbo gpt-3.5-turbo-0125', 'gpt-5.6-terra'),
  ...retire('openai', '2026-10-23', 'o1 o1-2024-12-17 o1-pro o1-pro-2025-03-19', 'gpt-5.6-sol'),
  ...retire('openai', '2026-10-23', 'o3-mini o3-mini-2025-01-31', 'gpt-5.6-sol'),
  ...retire('openai', '2026-10-23', 'o4-mini o4-mini-2025-04-16', 'gpt-5.6-terra'),
  ...retire('openai', '2026-12-11', 'gpt-5 gpt-5-2025-08-07 gpt-5-pro gpt-5-pro-2025-10-06', 'gpt-5.6-sol'),
  ...retire('openai', '2026-12-11', 'gpt-5-mini gpt-5-mini-2025-08-07', 'gpt-5.6-terra'),
  ...retire('openai', '2026-12-11', 'gpt-5-nano gpt-5-nano-2025-08-07', 'gpt-5.6-luna'),
  ...retire('openai', '2026-12-11', 'o3 o3-2025-04-16 o3-pro o3-pro-2025-06-10', 'gpt-5.6-sol'),
  ...retire('openai', '2027-01-14', 'gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4.1 gpt-4.1-2025-04-14', 'gpt-6-luna'),
  ...retire('openai', '2027-01-14', 'gpt-4o-mini gpt-4o-mini-2024-07-18 gpt-4.1-mini gpt-4.1-mini-2025-04-14', 'gpt-6-luna'),

  ...retire('anthropic', '2026-01-05', 'claude-3-opus-20240229 claude-3-opus-latest', 'claude-opus-5-5'),
  ...retire('anthropic', '2026-02-19', 'claude-3-5-haiku-20241022 claude-3-5-haiku-latest', 'claude-haiku-5-5'),
  ...retire(
    'anthropic',
    '2026-02-19',
    'claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-5-sonnet-latest claude-3-7-sonnet-20250219 claude-3-7-sonnet-latest',
    'claude-sonnet-5-5',
  ),
  ...retire('anthropic', '2026-06-15', 'claude-sonnet-4-0 claude-sonnet-4-20250514', 'claude-sonnet-5-5'),
  ...retire('anthropic', '2026-06-15', 'claude-opus-4-0 claude-opus-4-20250514', 'claude-opus-5-5'),
  ...retire('anthropic', '2026-08-05', 'claude-opus-4-1 claude-opus-4-1-20250805', 'claude-opus-5-5'),
  ...retire('anthropic', '2026-11-30', 'claude-sonnet-4-5 claude-sonnet-4-5-20250929', 'claude-sonnet-5-5'),
]

const byId = new Map(retiredModels.map((row) => [`${row.kind}/${row.id}`, row]))

/** The model to use instead, when `modelId` is gone at that moment. */
export function replacementFor(kind: ProviderKind, modelId: string, at: Date): string | undefined {
  const row = byId.get(`${kind}/${modelId}`)
  return row && at >= new Date(`${row.from}T00:00:00Z`) ? row.replacement : undefined
}
