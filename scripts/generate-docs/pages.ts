import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {configExample, configTables} from './config.js'
import {endpoints} from './endpoints.js'
import {exitCodesTable, failuresTable, modelFailuresTable} from './failures.js'
import {providersTable, retiredTable} from './models.js'
import {streamTable} from './stream.js'

/** What stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`, by its name. */
const blocks: Record<string, () => string> = {
  'config-keys': configTables,
  'config-example': configExample,
  providers: providersTable,
  'retired-models': retiredTable,
  endpoints,
  failures: failuresTable,
  'model-failures': modelFailuresTable,
  'exit-codes': exitCodesTable,
  'stream-events': streamTable,
}

export interface Page {
  /** Relative to the package: `docs/models.md`. */
  file: string
  path: string
  current: string
  /** The same with every generated part as the code has it now. */
  wanted: string
}

const root = join(import.meta.dirname, '../..')

/** Every page of docs/. @throws Error a block is unknown, not closed, or on no page */
export async function generatedPages(): Promise<Page[]> {
  const files = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  const used = new Set<string>()
  const pages = await Promise.all(
    files.map(async (file) => {
      const path = join(root, file)
      const current = await readFile(path, 'utf8')
      return {file, path, current, wanted: fill(file, current, used)}
    }),
  )
  const missing = Object.keys(blocks).filter((name) => !used.has(name))
  if (missing.length > 0) throw new Error(`No page has a place for ${missing.join(', ')}.`)
  return pages
}

function fill(file: string, text: string, used: Set<string>): string {
  return text.replace(/<!-- generated: (\S+) -->\n.*?<!-- end of (\S+) -->/gs, (_, name: string, end: string) => {
    const block = blocks[name]
    if (!block || end !== name) throw new Error(`${file}: "${name}" is no generated block, or it is not closed.`)
    used.add(name)
    return `<!-- generated: ${name} -->\n\n${block().trim()}\n\n<!-- end of ${name} -->`
  })
}
