import {presets} from '../../src/core/models/presets.js'
import {retiredModels} from '../../src/core/models/retired.js'
import {code, codes, table} from './markdown.js'

export function providersTable(): string {
  const rows = presets.map(({name, kind, keyVariable, defaultModel, baseURL}) => [
    code(name),
    code(kind),
    keyVariable === null ? 'none' : code(keyVariable),
    defaultModel === null ? '–' : code(defaultModel),
    code(baseURL),
  ])
  return table(['name', 'kind', 'key variable', 'default model', 'address'], rows)
}

/** One row for all the models that go on one day to one replacement. */
export function retiredTable(): string {
  const groups = Map.groupBy(retiredModels, ({kind, from, replacement}) => `${kind} ${from} ${replacement}`)
  const rows = [...groups.values()].flatMap((models) => {
    const [first] = models
    if (!first) return []
    return [[first.from, code(first.kind), codes(models.map(({id}) => id)), code(first.replacement)]]
  })
  const sources = [...new Set(retiredModels.map(({kind, source}) => `- ${code(kind)}: ${source}`))]
  return `${table(['from', 'kind', 'retired', 'replaced by'], rows)}\n\nSources:\n\n${sources.join('\n')}`
}
