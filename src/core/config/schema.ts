// zod/mini: the same schemas, but building these with full zod costs every command 12 ms of start-up.
import * as z from 'zod/mini'
import {ID} from '../ids.js'

/** The longest reply of an agent that does not say, in tokens. */
export const defaultMaxOutputTokens = 8192

/** `config.json`, declared once: validation, defaults, the list of known keys and the JSON Schema for editors come from here. */
export const ConfigSchema = z.object({
  agents: section({
    default: z._default(about('The agent that answers when none is named', id()), 'assistant'),
    list: map(
      id(),
      z.object({
        name: z.optional(about('What it calls itself; its id when absent', text())),
        model: z.optional(about('Alias, `provider/model` or bare id; absent leaves it to the home', text())),
        fallbacks: list('Models to try, in order, when a provider fails'),
        instructions: z._default(about('Your words at the start of its system prompt', z.string()), ''),
        tools: z.optional(about('Names of the tools it may use; absent means all, an empty list none', z.array(text()))),
        thinking: z.optional(about('Reasoning effort; absent leaves it to the model', z.enum(['off', 'low', 'medium', 'high']))),
        maxOutputTokens: z._default(about('The longest reply, in tokens', int(1, 1_000_000)), defaultMaxOutputTokens),
      }),
    ),
  }),
  models: section({
    default: z.optional(about('The model used when nothing else names one', text())),
    aliases: map(aliasName(), about('`provider/model` or another alias', text())),
    providers: map(
      id(),
      z.object({
        kind: z.optional(
          about(
            'Its protocol; absent: what its name says, else openai-compatible',
            z.enum(['openai', 'anthropic', 'openai-compatible', 'offline']),
          ),
        ),
        baseURL: z.optional(z.url({protocol: /^https?$/, error: 'must be an http:// or https:// address'})),
        apiKey: z.optional(about('Better kept in .env and written here as a reference to it', headerValue())),
        headers: map(headerName(), about('Sent with every request', headerValue())),
        timeoutMs: z._default(about('Longest wait for the next sign of life', int(100, 3_600_000)), 120_000),
      }),
    ),
  }),
  gateway: section({
    host: z._default(text(), '127.0.0.1'),
    port: z._default(about('0 takes any free port', int(0, 65_535)), 18_790),
    allowRemote: z._default(about('Allows a host that is not loopback; needs dashboard.token', z.boolean()), false),
    allowedHosts: list('Further authorities (host:port) that clients may name'),
    trustedProxies: list('Addresses whose forwarding headers are believed'),
    concurrency: z._default(about('Turns that run at once, per home', int(1, 256)), 4),
    queue: z._default(about('Turns that may wait; more are refused as busy', int(0, 100_000)), 32),
  }),
  dashboard: section({
    token: z.optional(about('Bearer token; absent leaves the dashboard open, empty locks it', headerValue())),
    tokenStore: z._default(z.enum(['file', 'keychain']), 'file'),
  }),
  approvals: section({
    unattended: z._default(about('What becomes of a question nobody is there to answer', z.enum(['wait', 'deny'])), 'wait'),
    expireMinutes: z._default(positive(10_080), 15),
  }),
  sandbox: section({
    allowedFolders: list('Folders the tools may touch; `~` is yours, relative paths start at the service home', ['workspace']),
  }),
  budgets: section({
    perTurnUsd: z.optional(positive(1_000_000)),
    perDayUsd: z.optional(positive(1_000_000)),
    perTurnTokens: z.optional(about('Input and output of one turn together', int(1, 1_000_000_000))),
    toolRounds: z._default(about('Model steps that call tools, in one turn', int(1, 1000)), 25),
    turnMinutes: z._default(about('Wall clock of one turn; waiting for an approval is not counted', positive(1440)), 30),
  }),
  storage: section({
    retentionDays: z._default(about('How long turns, events and runs are kept', positive(36_500)), 90),
  }),
  logging: section({
    level: z._default(z.enum(['debug', 'info', 'warn', 'error']), 'info'),
    file: z._default(about('Relative paths start at the service home', text()), 'logs/svc.log'),
    maxMb: z._default(about('Size at which the file is rotated', positive(10_000)), 10),
    days: z._default(about('How long rotated files are kept', int(1, 3650)), 14),
  }),
})

/** The configuration with its defaults filled in and every `${VAR}` expanded. `dashboard.token` is `''` when it expanded to nothing. */
export type Config = z.output<typeof ConfigSchema>

/** A section may be missing; its keys then have their defaults. */
function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.prefault(z.object(shape), {} as never)
}

function map<Key extends z.core.$ZodRecordKey, Value extends z.core.$ZodType>(key: Key, value: Value) {
  return z._default(z.record(key, value), () => ({}) as never)
}

function list(description: string, fallback: string[] = []) {
  return z._default(about(description, z.array(text())), () => [...fallback])
}

function about<Schema extends z.core.$ZodType>(description: string, schema: Schema): Schema {
  z.globalRegistry.add(schema, {description})
  return schema
}

function id() {
  return z.string().check(z.regex(ID, 'must be 1 to 64 letters, digits, "_" or "-"'))
}

function aliasName() {
  return z.string().check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"'))
}

function text() {
  return z.string().check(z.minLength(1, 'must not be empty'))
}

function headerName() {
  return z.string().check(z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be the name of an HTTP header'))
}

function headerValue() {
  return z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of text that an HTTP header can carry'))
}

function int(min: number, max: number) {
  return z.int().check(z.gte(min), z.lte(max))
}

function positive(max: number) {
  return z.number().check(z.gt(0), z.lte(max))
}
