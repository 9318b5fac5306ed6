import {type FailureCode, failures} from '../../src/core/errors.js'
import {providerFailureCodes} from '../../src/core/models/provider.js'
import {code, codes, table} from './markdown.js'

/** What a reader can do about each failure. The type makes a new code ask for a sentence. */
const remedies: Record<FailureCode, string> = {
  'bad-config': 'Mend `config.json` at the line and column that the message names.',
  'bad-schedule': 'Correct the expression or the time zone of the job.',
  'provider-not-configured': 'Put the key into `.env`, or the address into `models.providers`; the hint names which.',
  'budget-exceeded': 'Raise the limit that the message names, or use a cheaper model.',
  'loop-limit': 'Ask for a smaller piece, or raise `budgets.toolRounds`.',
  'context-too-long': 'Send less, start another session, or use a model with a larger window.',
  cancelled: 'Nothing; send the message again if it was not you.',
  interrupted: 'Look into the log: the processes that ran this turn died.',
  'storage-unavailable': 'Make room on the disk, or make the service home writable; the message names the file.',
  'store-too-new': 'Run the newer svc that wrote the store.',
  'gateway-unreachable': 'Start it: `svc serve`.',
  'invalid-input': 'Correct the places that `errors` lists.',
  'unknown-model': 'Use an alias, `provider/model`, or a model id with `-` or `.` in it.',
  unauthorized: 'Send `Authorization: Bearer` with the value of `dashboard.token`.',
  'forbidden-origin': 'Use the address that svc printed, from a program; see the guard rules.',
  'not-found': 'Check the path or the id.',
  'method-not-allowed': 'Use a method that the header `Allow` names.',
  conflict: 'Read the message: something else is already there, running or done.',
  'too-large': 'Send less than 1 MiB, and at most 400,000 characters of message.',
  'unsupported-media-type': 'Send `Content-Type: application/json`.',
  'rate-limited': 'Wait as long as `Retry-After` says.',
  'provider-auth': 'Check the key: `svc model test`.',
  'provider-quota': 'Check plan and billing at the provider, or use another model.',
  'provider-rate-limit': 'Wait a little, or use another model.',
  'model-not-found': 'Name a model that the provider has: `svc model list`, or its own list.',
  'empty-reply': 'Ask again in other words, or use another model.',
  'malformed-reply': 'Try again; if it lasts, check that `baseURL` is the address of the API itself.',
  'provider-unavailable': 'Check the network and the address, or try again later.',
  'provider-timeout': 'Try again, or give it longer: `models.providers.<name>.timeoutMs`.',
  busy: 'Wait as long as `Retry-After` says, or raise `gateway.queue`.',
  'awaiting-approval': 'The turn waits for the owner. It goes on when the question is answered, or when it expires.',
  internal: 'A bug: look for the id of the message in the log, and report it.',
}

/** How a turn can end badly because of its model. */
const ofModels: FailureCode[] = [
  'unknown-model',
  'provider-not-configured',
  ...providerFailureCodes,
  'budget-exceeded',
  'loop-limit',
]

export function failuresTable(): string {
  return table(
    ['code', 'HTTP', 'exit', 'meaning', 'what to do'],
    Object.entries(failures).map(([name, {status, exit, title}]) => [
      code(name),
      `${status}`,
      `${exit}`,
      title,
      remedies[name as FailureCode],
    ]),
  )
}

export function modelFailuresTable(): string {
  return table(
    ['code', 'meaning', 'what to do'],
    ofModels.map((name) => [code(name), failures[name].title, remedies[name]]),
  )
}

/** What a command ended with, and where to look first. */
const exits: Record<number, string> = {
  0: 'It worked.',
  1: 'It was tried and failed. The message says why; a message that was sent is kept.',
  2: 'The command line or the request is wrong. `svc COMMAND --help` shows what it takes.',
  3: 'There is no such thing. `svc sessions list` and `svc turns list` show ids.',
  4: 'The token is missing or wrong, or the caller is not trusted.',
  5: 'No gateway answers. Start it: `svc serve`.',
  6: 'The configuration, or the store, cannot be used. The message names file, line and column.',
  7: 'The turn waits for your answer to a question. No built-in tool of this version asks.',
  70: 'A bug. The same command with `--verbose` shows where.',
  130: 'You pressed Ctrl-C. What the reply had so far is kept.',
}

export function exitCodesTable(): string {
  const byExit = Map.groupBy(Object.keys(failures) as FailureCode[], (name): number => failures[name].exit)
  const unexplained = [...byExit.keys()].filter((exit) => exits[exit] === undefined)
  if (unexplained.length > 0) throw new Error(`No sentence explains exit code ${unexplained.join(', ')}.`)
  const rows = Object.entries(exits).map(([exit, says]) => [exit, says, codes(byExit.get(Number(exit)) ?? []) || '–'])
  return table(['exit', 'what it means', 'problem codes'], rows)
}
