import {execFileSync} from 'node:child_process'
import {mkdir, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'chai'
import {loadConfig} from '../../../src/core/config/load.js'
import {tempFolder} from '../../support/temp.js'
import {failure} from './failure.js'

async function refusal(content: string | Buffer) {
  const home = await tempFolder()
  await writeFile(join(home, 'config.json'), content)
  const error = await failure('bad-config', loadConfig({home, env: {HOME: home}}))
  expect(error.message.startsWith(join(home, 'config.json'))).to.equal(true)
  return {...error, message: error.message.slice(join(home, 'config.json').length)}
}

describe('A config.json that cannot be used', () => {
  for (const [name, content, message] of [
    ['a comment', '{\n  // the port\n  "a": 1\n}', ':2:3: JSON allows no comments.'],
    ['a comma too many', '{\n  "a": 1,\n}', ':3:1: JSON allows no comma before a closing bracket.'],
    ['a comma too few', '{"a": 1\n "b": 2}', ':2:2: a comma is missing.'],
    ['a colon too few', '{"a" 1}', ':1:6: a colon is missing after the key.'],
    ['no end', '{\n  "a": {', ':2:9: the text ends too early; a bracket or a quote is not closed.'],
    ['a backslash', '{"a": "C:\\x"}', ':1:7: a backslash in a text is written twice.'],
    ['a tab inside a string', '{"a": "\t"}', ':1:7: this is not JSON.'],
    ['a second object', '{}\n{}', ':2:1: there is more text after the end of the object.'],
    ['nothing at all', '', ':1:1: the file is empty; an empty configuration is written {}.'],
    ['only blanks', ' \n', ':1:1: the file is empty; an empty configuration is written {}.'],
    ['an array', '[]', ':1:1: the file must hold an object in braces, not an array.'],
    ['null', 'null', ':1:1: the file must hold an object in braces, not null.'],
    ['a string', '"gateway"', ':1:1: the file must hold an object in braces, not a string.'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), ' is UTF-16.'],
    ['UTF-16 without a mark', Buffer.from('{}', 'utf16le'), ' is not a text file.'],
    ['broken UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), ' is not valid UTF-8.'],
    ['5 MB', `{"a": "${'x'.repeat(5 * 1024 * 1024)}"}`, ' is too large (5.0 MiB).'],
    ['50,000 brackets', '{"a":'.repeat(50_000), ':1:250001: the text ends too early'],
  ] as const) {
    it(`${name} is refused`, async () => {
      const error = await refusal(content)
      expect(error.message).to.contain(message)
      expect(error.hint).to.be.a('string')
    })
  }

  it('names every value that does not fit, in the order of the file, never showing it', async () => {
    const {message, issues} = await refusal(`{
  "gateway": {"port": "sekret", "queue": -1, "concurrency": 1.5},
  "dashboard": {"token": "sekret\\n"},
  "models": {
    "aliases": {"a b": "x/y"},
    "providers": {"open ai": {}, "o": {"kind": "sekret", "baseURL": "ftp://sekret"}}
  },
  "agents": {"list": {"a": {"tools": "sekret", "thinking": "hard"}}}
}`)
    expect(message).to.equal(':2:15: gateway.port must be a number, not a string. There are 9 more mistakes.')
    expect(issues?.map((issue) => `${issue.path.join('/')}: ${issue.message}`)).to.deep.equal([
      'gateway/port: must be a number, not a string (line 2, column 15)',
      'gateway/queue: must be at least 0 (line 2, column 33)',
      'gateway/concurrency: must be a whole number (line 2, column 46)',
      'dashboard/token: must be one line of text that an HTTP header can carry (line 3, column 17)',
      'models/aliases/a b: is not a usable name: it must be 1 to 64 letters, digits, ".", "_" or "-" (line 5, column 17)',
      'models/providers/open ai: is not a usable name: it must be 1 to 64 letters, digits, "_" or "-" (line 6, column 19)',
      'models/providers/o/kind: must be one of "openai", "anthropic", "openai-compatible", "offline" (line 6, column 40)',
      'models/providers/o/baseURL: must be an http:// or https:// address (line 6, column 58)',
      'agents/list/a/tools: must be an array, not a string (line 8, column 29)',
      'agents/list/a/thinking: must be one of "off", "low", "medium", "high" (line 8, column 48)',
    ])
  })

  it('is never quoted, not even by the cause of the failure', async () => {
    const error = await refusal('{"dashboard": {"token": "sekret", x}}')
    expect(JSON.stringify([error, error.message, String(error.cause)])).not.to.contain('sekret')
  })

  it('names a default agent that is not there', async () => {
    const {message} = await refusal('{"agents": {"default": "coder"}}')
    expect(message).to.equal(':1:13: agents.default must be the id of an agent: assistant.')
  })

  it('may not name prototypes, even in parts this version does not use', async () => {
    const {issues} = await refusal('{"models": {"aliases": {"__proto__": "o/m"}}, "later": [{"constructor": 1, "prototype": 2}]}')
    expect(issues?.map(({path}) => path.join('.'))).to.deep.equal([
      'models.aliases.__proto__',
      'later.0.constructor',
      'later.0.prototype',
    ])
  })

  it('may not be nested without end', async () => {
    const {message} = await refusal(`{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`)
    expect(message).to.contain('must not be nested deeper than 64')
  })

  it('may not be a folder, a pipe or a link that leads nowhere', async () => {
    for (const place of [
      (file: string) => mkdir(file),
      (file: string) => symlink('/nowhere', file),
      async (file: string) => void execFileSync('mkfifo', [file]),
    ]) {
      const home = await tempFolder()
      await place(join(home, 'config.json'))
      await failure('bad-config', loadConfig({home, env: {}}))
    }
  })
})
