import {z} from 'zod'
import {type FailureCode, failures} from '../core/errors.js'
import type {AnyRoute, Routes} from './route.js'

interface Document {
  openapi: string
  info: {title: string; version: string; description: string}
  paths: Record<string, Record<string, unknown>>
  components: Record<string, unknown>
}

/** Failures that any request may meet, whatever its endpoint. */
const COMMON = ['forbidden-origin', 'invalid-input', 'storage-unavailable', 'internal'] as const
const WITH_BODY = ['too-large', 'unsupported-media-type'] as const
const WITH_TOKEN = ['unauthorized', 'rate-limited'] as const

const ProblemSchema = z.object({
  type: z.string().describe('A URN that ends with the code'),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What happened, to whom'),
  code: z.enum(Object.keys(failures)),
  hint: z.string().optional().describe('What to do next'),
  errors: z
    .array(z.object({path: z.array(z.union([z.string(), z.int()])), message: z.string()}))
    .optional()
    .describe('The places that do not fit'),
})

/** OpenAPI 3.1 of the given routes; `.describe()` and `.meta()` of their schemas become descriptions. */
export function openapi(routes: Routes, version: string): Document {
  const paths: Document['paths'] = {}
  for (const [operationId, route] of Object.entries(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = {...paths[path], [route.method.toLowerCase()]: describe(operationId, route)}
  }
  return {
    openapi: '3.1.0',
    info: {title: 'svc', version, description: 'A personal agent gateway: its operational endpoints and its dashboard API.'},
    paths,
    components: {
      schemas: {Problem: toSchema(ProblemSchema, 'output')},
      securitySchemes: {token: {type: 'http', scheme: 'bearer', description: 'The value of dashboard.token'}},
    },
  }
}

function describe(operationId: string, route: AnyRoute) {
  return {
    operationId,
    summary: route.summary,
    tags: [route.path.startsWith('/api/dashboard/') ? 'dashboard' : 'gateway'],
    security: route.auth === 'none' ? [] : [{token: []}],
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(route.body && {requestBody: {required: true, content: {'application/json': {schema: toSchema(route.body, 'input')}}}}),
    responses: {...successes(route), ...problems(route)},
  }
}

function successes({replies, events}: AnyRoute): Record<string, unknown> {
  const statuses = Object.entries(replies as Record<string, z.ZodType>).map(([status, schema]) => [
    status,
    {description: schema.description ?? 'Done', content: {'application/json': {schema: toSchema(schema, 'output')}}},
  ])
  const responses = Object.fromEntries(statuses)
  if (!events) return responses
  const stream = {'text/event-stream': {schema: toSchema(events, 'output')}}
  return {...responses, 200: {description: 'The stream', ...responses[200], content: {...responses[200]?.content, ...stream}}}
}

/** Several codes may share a status, and a status may be a reply too; the reply is then what its description speaks of. */
function problems(route: AnyRoute): Record<string, unknown> {
  const codes: FailureCode[] = [
    ...COMMON,
    ...(route.body ? WITH_BODY : []),
    ...(route.auth === 'none' ? [] : WITH_TOKEN),
    ...((route.failures as FailureCode[] | undefined) ?? []),
  ]
  const byStatus = Object.groupBy(new Set(codes), (code) => failures[code].status)
  return Object.fromEntries(
    Object.entries(byStatus)
      .filter(([status]) => !(status in route.replies))
      .map(([status, group = []]) => [
        status,
        {
          description: group.map((code) => `\`${code}\`: ${failures[code].title}`).join('; '),
          content: {'application/problem+json': {schema: {$ref: '#/components/schemas/Problem'}}},
        },
      ]),
  )
}

function parameters(where: 'path' | 'query' | 'header', schema: z.ZodType | undefined): unknown[] {
  if (!schema) return []
  const {properties = {}, required = []} = toSchema(schema, 'input') as {
    properties?: Record<string, {description?: string}>
    required?: string[]
  }
  return Object.entries(properties).map(([name, {description, ...rest}]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description !== undefined && {description}),
    schema: rest,
  }))
}

/** Without `$schema`: the document as a whole says which dialect it speaks. */
function toSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const {$schema: _dialect, ...rest} = z.toJSONSchema(schema, {io, unrepresentable: 'any'})
  return rest
}
