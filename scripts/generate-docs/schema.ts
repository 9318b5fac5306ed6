/** As much of JSON Schema as zod writes for our declarations. */
export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  default?: unknown
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
}

/** What a value may be, in words: `whole number, 1 to 200`. */
export function typeWords(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return enumWords(schema.enum)
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(' or ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeWords({...schema, type})).join(' or ')
  switch (schema.type) {
    case 'integer':
      return `whole number${rangeWords(schema)}`
    case 'number':
      return `number${rangeWords(schema)}`
    case 'string':
      return schema.format === 'date-time' ? 'time' : schema.format === 'uri' ? 'address' : 'text'
    case 'array':
      return schema.items ? `list of ${plural(typeWords(schema.items))}` : 'list'
    case 'boolean':
      return '`true` or `false`'
    default:
      return schema.type ?? 'any JSON'
  }
}

function enumWords(values: unknown[]): string {
  return values.length > 10 ? 'text' : values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
}

function rangeWords({minimum, maximum, exclusiveMinimum}: JsonSchema): string {
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum
  const to = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum
  const most = to === undefined ? '' : `, at most ${to}`
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}${most}`
  if (from === undefined) return most
  return to === undefined ? ` from ${from}` : `, ${from} to ${to}`
}

function plural(words: string): string {
  return words === 'text' ? 'texts' : words === 'object' ? 'objects' : words
}

export interface Field {
  /** `usage.costUsd`, `items[].id`. */
  path: string
  required: boolean
  schema: JsonSchema
}

/** Every field of an object with those inside it, in the order of the declaration. */
export function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const inner = field.anyOf?.find((option) => option.properties) ?? field
    const nested = inner.items?.properties ? fieldsOf(inner.items, `${path}[].`) : fieldsOf(inner, `${path}.`)
    const required = schema.required?.includes(name) ?? false
    // An object that is always there and of which nothing is said shows in its fields.
    const speaks = !field.properties || !required || field.description !== undefined
    return speaks ? [{path, required, schema: field}, ...nested] : nested
  })
}
