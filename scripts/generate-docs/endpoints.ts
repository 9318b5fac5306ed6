import {type FailureCode, failures} from '../../src/core/errors.js'
import {openapi} from '../../src/server/openapi.js'
import type {AnyRoute} from '../../src/server/route.js'
import {routes} from '../../src/server/serve.js'
import {type Example, examples} from './examples.js'
import {code, json, table} from './markdown.js'
import {fieldsOf, type JsonSchema, typeWords} from './schema.js'

interface Operation {
  summary: string
  security: object[]
  parameters: {name: string; in: string; required: boolean; description?: string; schema: JsonSchema}[]
  requestBody?: {content: Content}
  responses: Record<string, {description: string; content: Content}>
}

type Content = Record<string, {schema: JsonSchema} | undefined>

/** A section for each endpoint, in the order of the routes. */
export function endpoints(): string {
  const {paths} = openapi(routes, '0')
  const unused = new Set(Object.keys(examples))
  const sections = Object.entries(routes).map(([id, route]) => {
    const path = (route.path as string).replace(/:(\w+)/g, '{$1}')
    const example = examples[id]
    if (!example) throw new Error(`${id} needs an example in examples.ts.`)
    unused.delete(id)
    return section(route, paths[path]?.[route.method.toLowerCase()] as Operation, example)
  })
  if (unused.size > 0) throw new Error(`These examples belong to no endpoint: ${[...unused].join(', ')}.`)
  return sections.join('\n\n')
}

function section(route: AnyRoute, operation: Operation, example: Example): string {
  const parts = [
    `### ${route.method} ${route.path}`,
    `${operation.summary}. ${operation.security.length === 0 ? 'No login.' : 'Needs the [token](#the-token).'}`,
    parameters(operation),
    body(operation),
    ...Object.entries(operation.responses).map(([status, response]) => replyOf(status, response)),
    exampleOf(route, example),
    failuresOf(operation),
  ]
  return parts.filter(Boolean).join('\n\n')
}

function parameters({parameters}: Operation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({name, in: where, required, description = '', schema}) => [
    code(name),
    where,
    typeWords(schema),
    need(required, schema),
    description,
  ])
  return table(['parameter', 'in', 'type', 'needed', 'meaning'], rows)
}

function body({requestBody}: Operation): string {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return ''
  const rows = fieldsOf(schema).map(({path, required, schema}) => [
    code(path),
    typeWords(schema),
    need(required, schema),
    schema.description ?? '',
  ])
  return `Body:\n\n${table(['field', 'type', 'needed', 'meaning'], rows)}`
}

function need(required: boolean, {default: value}: JsonSchema): string {
  return required ? 'yes' : value === undefined ? 'no' : `no, ${code(value)}`
}

function replyOf(status: string, {description, content}: Operation['responses'][string]): string {
  const stream = content['text/event-stream']
  const reply = content['application/json']
  const says = description === 'Done' ? '' : ` ${description}.`
  const streams = stream ? ' With `Accept: text/event-stream`: [the events of the turn](#streaming).' : ''
  if (!reply) return stream ? `Reply ${code(status)}: [the events of the turn](#streaming).` : ''
  const rows = fieldsOf(reply.schema).map(({path, required, schema}) => [
    code(path),
    `${typeWords(schema)}${required ? '' : ', may be missing'}`,
    schema.description ?? '',
  ])
  return `Reply ${code(status)}:${says}${streams}\n\n${table(['field', 'type', 'meaning'], rows)}`
}

function exampleOf(route: AnyRoute, {target = route.path, headers = [], body, status = 200, reply}: Example): string {
  check(route, {body, status, reply})
  const options = [
    ...(route.method === 'POST' && body === undefined ? ['-X POST'] : []),
    ...(route.auth === 'none' ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...headers.map((header) => `-H '${header}'`),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ]
  const address = target.includes('?') ? `'localhost:18790${target}'` : `localhost:18790${target}`
  const command = `\`\`\`sh\n${['curl -s', ...options, address].join(' ')}\n\`\`\``
  return `${command}\n\n${typeof reply === 'string' ? `\`\`\`text\n${reply}\n\`\`\`` : json(reply)}`
}

/** An example that the endpoint would not take, or never give, is a mistake. */
function check(route: AnyRoute, {body, status, reply}: Required<Pick<Example, 'status'>> & Example): void {
  const where = `The example of ${route.method} ${route.path}`
  if (route.body) route.body.parse(body)
  else if (body !== undefined) throw new Error(`${where} has a body.`)
  const schema = route.replies[status]
  if (schema) schema.parse(reply)
  else if (typeof reply === 'string' ? !route.events : !isProblem(reply, status)) throw new Error(`${where} has no such reply.`)
}

function isProblem(reply: unknown, status: number): boolean {
  const {code, title} = reply as {code: FailureCode; title: string}
  return failures[code]?.status === status && failures[code].title === title
}

function failuresOf({responses}: Operation): string {
  const byStatus = Object.entries(responses)
    .filter(([, {content}]) => content['application/problem+json'])
    .map(([status, {description}]) => `${status} ${(description.match(/`[a-z-]+`/g) ?? []).join(', ')}`)
  return `[Failures](#errors): ${byStatus.join(' · ')}`
}
