import * as z from 'zod/mini'
import {type Config, ConfigSchema} from '../../src/core/config/schema.js'
import {configExampleText} from './config-example.js'
import {code, table} from './markdown.js'
import {type JsonSchema, typeWords} from './schema.js'

/** What each section is about. The type makes a new section ask for a sentence. */
const sections: Record<keyof Config, string> = {
  agents: 'Who answers. The agent `assistant` is there without an entry.',
  models: 'Which models there are and what they are called; the whole story is in [models](models.md).',
  gateway: 'Where the server listens and how much it takes on; see [the HTTP API](http-api.md).',
  dashboard: 'The login of `/api/dashboard/*`.',
  approvals: 'Questions about tool calls that need your word. No built-in tool of this version asks.',
  sandbox: 'What the file tools may touch.',
  budgets: 'Where a turn stops. A turn that reaches a limit fails and says which.',
  storage:
    'What is kept of the past. Conversations stay; what is forgotten are the turns behind them, with their tool calls and events.',
  logging: 'The log file.',
}

/** For keys whose declaration says nothing because their name does; a key with neither fails the generator. */
const meanings: Record<string, string> = {
  'models.providers.<name>.baseURL': 'Where its API is; absent: the address of the provider with this name',
  'gateway.host': 'The address to listen on',
  'dashboard.tokenStore':
    'Where the token is when `dashboard.token` is absent; `keychain` needs the package `keytar`, which svc does not bring yet',
  'approvals.expireMinutes': 'How long a question stays open',
  'budgets.perTurnUsd': 'What one turn may cost; needs a model whose price is known',
  'budgets.perDayUsd': 'What all turns of a day may cost, from midnight in local time; needs a model whose price is known',
  'logging.level': 'Less important lines are dropped',
}

export function configTables(): string {
  const {properties = {}} = z.toJSONSchema(ConfigSchema, {io: 'input'}) as JsonSchema
  const unused = new Set(Object.keys(meanings))
  const parts = Object.entries(properties).map(([section, schema]) => {
    const rows = rowsOf(schema, section, unused)
    return `### ${section}\n\n${sections[section as keyof Config]}\n\n${table(['key', 'type', 'default', 'meaning'], rows)}`
  })
  if (unused.size > 0) throw new Error(`These meanings belong to no key, or to one that has its own: ${[...unused].join(', ')}.`)
  return parts.join('\n\n')
}

function rowsOf(schema: JsonSchema, path: string, unused: Set<string>): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, key]) => {
    const here = `${path}.${name}`
    const entry = typeof key.additionalProperties === 'object' ? key.additionalProperties : undefined
    if (entry?.properties) return rowsOf(entry, `${here}.<${name === 'providers' ? 'name' : 'id'}>`, unused)
    if (entry)
      return [
        [
          code(`${here}.<${name === 'headers' ? 'header' : 'name'}>`),
          typeWords(entry),
          '–',
          entry.description ?? meaningOf(here, unused),
        ],
      ]
    return [[code(here), typeWords(key), defaultOf(key), key.description ?? meaningOf(here, unused)]]
  })
}

function defaultOf({default: value}: JsonSchema): string {
  return value === undefined ? '–' : code(JSON.stringify(value))
}

function meaningOf(path: string, unused: Set<string>): string {
  const meaning = meanings[path]
  if (meaning === undefined) throw new Error(`${path} needs a description in schema.ts.`)
  unused.delete(path)
  return meaning
}

/** The example of the page, which must be a configuration without a mistake. */
export function configExample(): string {
  const result = ConfigSchema.safeParse(JSON.parse(configExampleText))
  if (!result.success) throw new Error(`The example configuration does not fit: ${result.error.message}`)
  return `\`\`\`json\n${configExampleText.trim()}\n\`\`\``
}
