import * as z from 'zod'

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')
const aliasName = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"')
const text = z.string().min(1, 'must not be empty')
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be the name of an HTTP header')
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of text an HTTP header can carry')
const usd = z.number().positive().describe('US dollars')

const agent = z.object({
  name: text.optional().describe('What it calls itself; its id when absent'),
  model: text.optional().describe('Alias, `provider/model` or bare id; absent leaves it to the home'),
  fallbacks: z.array(text).default([]).describe('Models to try, in order, when a provider fails'),
  instructions: z.string().default('').describe('Your words at the start of its system prompt'),
  tools: z.array(text).optional().describe('Names of the tools it may use; absent means all, an empty list none'),
  thinking: z.enum(['off', 'low', 'medium', 'high']).optional().describe('Reasoning effort; absent leaves it to the model'),
  maxOutputTokens: z.int().min(1).max(1_000_000).default(8192).describe('The longest reply, in tokens'),
})

const provider = z.object({
  kind: z
    .enum(['openai', 'anthropic', 'openai-compatible', 'offline'])
    .optional()
    .describe('Its protocol; absent: what the name says, else openai-compatible'),
  baseURL: z.url({protocol: /^https?$/, error: 'must be an http:// or https:// address'}).optional(),
  apiKey: z.string().optional().describe('Better kept in .env and written here as ${NAME}'),
  headers: z.record(headerName, headerValue).default({}).describe('Sent with every request'),
  timeoutMs: z.int().min(100).max(3_600_000).default(120_000).describe('Longest wait for the next sign of life'),
})

const budgets = z.object({
  perTurnUsd: usd.optional(),
  perDayUsd: usd.optional(),
  perTurnTokens: z.int().min(1).optional().describe('Input and output tokens of one turn together'),
  toolRounds: z.int().min(1).max(1000).default(25).describe('Model steps that call tools, in one turn'),
  turnMinutes: z.number().positive().max(1440).default(30).describe('Wall clock of one turn, waiting for approvals not counted'),
})

const sections = {
  agents: z.object({
    default: id.default('assistant').describe('The agent that answers when none is named'),
    list: z.record(id, agent).default({}),
  }),
  models: z.object({
    default: text.optional().describe('The model used when nothing else names one'),
    aliases: z.record(aliasName, text).default({}).describe('Short name → `provider/model` or another alias'),
    providers: z.record(id, provider).default({}),
  }),
  gateway: z.object({
    host: text.default('127.0.0.1'),
    port: z.int().min(0).max(65_535).default(18_790).describe('0 takes any free port'),
    allowRemote: z.boolean().default(false).describe('Allows a host that is not loopback; needs dashboard.token'),
    allowedHosts: z.array(text).default([]).describe('Further authorities (host:port) that clients may name'),
    trustedProxies: z.array(text).default([]).describe('Addresses whose forwarding headers are believed'),
    concurrency: z.int().min(1).max(256).default(4).describe('Turns that run at once, per home'),
    queue: z.int().min(0).max(100_000).default(32).describe('Turns that may wait; more are refused as busy'),
  }),
  dashboard: z.object({
    token: z.string().optional().describe('Bearer token; absent leaves the dashboard open, empty locks it'),
    tokenStore: z.enum(['file', 'keychain']).default('file'),
  }),
  approvals: z.object({
    unattended: z.enum(['wait', 'deny']).default('wait').describe('What happens to a question nobody is there to answer'),
    expireMinutes: z.number().positive().max(10_080).default(15),
  }),
  sandbox: z.object({
    allowedFolders: z
      .array(text)
      .default(['workspace'])
      .describe('Folders the tools may touch; `~` is your home, relative paths start at the service home'),
  }),
  budgets,
  storage: z.object({
    retentionDays: z.number().positive().max(36_500).default(90).describe('How long turns, events and runs are kept'),
  }),
  logging: z.object({
    level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    file: text.default('logs/svc.log').describe('Relative paths start at the service home'),
    maxMb: z.number().positive().max(10_000).default(10).describe('Size at which the file is rotated'),
    days: z.int().min(1).max(3650).default(14).describe('How long rotated files are kept'),
  }),
}

/** `config.json`, declared once: validation, defaults, the list of known keys and the JSON Schema for editors come from here. */
export const ConfigSchema = z.object({
  agents: sections.agents.prefault({}),
  models: sections.models.prefault({}),
  gateway: sections.gateway.prefault({}),
  dashboard: sections.dashboard.prefault({}),
  approvals: sections.approvals.prefault({}),
  sandbox: sections.sandbox.prefault({}),
  budgets: sections.budgets.prefault({}),
  storage: sections.storage.prefault({}),
  logging: sections.logging.prefault({}),
})

/** The configuration with its defaults filled in and every `${VAR}` expanded. `dashboard.token` is `''` when it expanded to nothing. */
export type Config = z.output<typeof ConfigSchema>
