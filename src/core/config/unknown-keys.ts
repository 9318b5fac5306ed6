import {formatKey, isTree, type KeyPath} from './key-path.js'
import {nearest} from './nearest.js'
import {declaredKeys, schemaAt} from './schema-at.js'

/** One sentence for each key this version does not use. They stay in the file: a newer or older version may use them. */
export function unknownKeys(raw: object, path: KeyPath = []): string[] {
  const schema = schemaAt(path)
  if (schema === undefined) return []
  const declared = declaredKeys(schema)
  return Object.entries(raw).flatMap(([key, value]) => {
    const here = [...path, key]
    if (declared && !declared.includes(key)) return here.length === 1 && key === '$schema' ? [] : [sentence(here, declared)]
    return isTree(value) && !Array.isArray(value) ? unknownKeys(value, here) : []
  })
}

function sentence(path: KeyPath, declared: string[]): string {
  const meant = nearest(String(path.at(-1)), declared)
  const suggestion = meant === undefined ? '' : ` Did you mean \`${formatKey([...path.slice(0, -1), meant])}\`?`
  return `\`${formatKey(path)}\` is not a key this version uses; kept.${suggestion}`
}
