import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {expect} from 'chai'

const root = join(import.meta.dirname, '..', 'src')

/** Rooms of the core from the ground up: a file may import from its own room and from those below. */
const floors = [
  ['errors', 'ids', 'version', 'usage'],
  ['config'],
  ['store'],
  ['models', 'sessions', 'memory', 'approvals', 'audit'],
  ['tools', 'testing'],
  ['agent'],
  ['status'],
  ['create-app'],
]

/** What each part may import besides itself. `import type` leaves no trace in the program and is free. */
const parts: Record<string, string[]> = {
  core: [],
  server: ['core'],
  cli: ['core', 'svc-command'],
  'svc-command': ['core', 'cli'],
  hooks: ['core', 'cli'],
  commands: ['core', 'server', 'cli', 'svc-command'],
}

const files = readdirSync(root, {recursive: true, encoding: 'utf8'}).filter((file) => /\.tsx?$/.test(file))

const imports = new Map(
  files.map((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const found = [...source.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?from\s+)?'(\.[^']+)'/gm)].map(
      (match) => match[1] as string,
    )
    return [file, found.map((path) => relative(root, join(root, dirname(file), path)).replace(/\.js$/, '.ts'))] as const
  }),
)

const partOf = (file: string) => (file.split('/')[0] as string).replace(/\.tsx?$/, '')
const floorOf = (file: string) =>
  floors.findIndex((rooms) => rooms.includes((file.split('/')[1] as string).replace(/\.tsx?$/, '')))

describe('Imports', () => {
  it('go from commands and server to the core, never back', () => {
    const wrong = arrows().filter(
      ([from, to]) =>
        to !== '../package.json' && partOf(from) !== partOf(to) && parts[partOf(from)]?.includes(partOf(to)) === false,
    )
    expect(wrong.map((arrow) => arrow.join(' → '))).to.deep.equal([])
  })

  it('of the core go down', () => {
    const inCore = arrows().filter(([from, to]) => partOf(from) === 'core' && partOf(to) === 'core')
    expect(
      inCore.filter(([from, to]) => floorOf(from) < 0 || floorOf(to) < 0).map((arrow) => arrow.join(' → ')),
      'rooms without a floor',
    ).to.deep.equal([])
    expect(inCore.filter(([from, to]) => floorOf(from) < floorOf(to)).map((arrow) => arrow.join(' → '))).to.deep.equal([])
  })

  it('make no circle', () => {
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (done.has(file) || path.includes(file)) return
      for (const next of imports.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).to.deep.equal([])
  })
})

function arrows(): [string, string][] {
  return [...imports].flatMap(([from, targets]) => targets.map((to): [string, string] => [from, to]))
}
