import type * as z from 'zod/mini'
import type {KeyPath} from './key-path.js'
import {ConfigSchema} from './schema.js'

type Schema = z.core.$ZodTypes

/** The declaration of a key without its wrappers (default, optional); undefined when this version does not use the key. */
export function schemaAt(path: KeyPath): Schema | undefined {
  let schema: Schema | undefined = unwrap(ConfigSchema)
  for (const key of path) {
    if (schema === undefined) return undefined
    schema = childOf(schema, key)
  }
  return schema
}

/** Names of the keys a section declares; undefined where any name may stand. */
export function declaredKeys(schema: Schema): string[] | undefined {
  const {def} = schema._zod
  return def.type === 'object' ? Object.keys(def.shape) : undefined
}

function childOf(schema: Schema, key: string | number): Schema | undefined {
  const {def} = schema._zod
  if (def.type === 'object') return Object.hasOwn(def.shape, key) ? unwrap(def.shape[key] as Schema) : undefined
  if (def.type === 'record') return unwrap(def.valueType)
  if (def.type === 'array') return unwrap(def.element)
  return undefined
}

function unwrap(schema: z.core.$ZodType): Schema {
  const {def} = (schema as Schema)._zod
  return def.type === 'optional' || def.type === 'default' || def.type === 'prefault' ? unwrap(def.innerType) : (schema as Schema)
}
