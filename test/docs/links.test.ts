import {existsSync, globSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {expect} from 'chai'

const root = join(import.meta.dirname, '../..')
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/*.md', {cwd: root})]
const text = (file: string) => readFileSync(join(root, file), 'utf8')

const {scripts} = JSON.parse(text('package.json')) as {scripts: Record<string, string>}
const commands = globSync('**/*.{ts,tsx}', {cwd: join(root, 'src/commands')}).map((file) =>
  file.replace(/(\/index)?\.tsx?$/, '').replaceAll('/', ' '),
)

describe('The pages', () => {
  for (const page of pages) {
    it(`${page} has links that lead somewhere`, () => {
      const links = [...withoutCode(text(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      const relative = links.filter((link) => !/^[a-z]+:/.test(link))
      expect(relative.filter((link) => !resolves(page, link))).to.deep.equal([])
    })

    it(`${page} names only scripts and commands that exist`, () => {
      const named = [...text(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name)
      expect(named.filter((name) => !Object.hasOwn(scripts, name))).to.deep.equal([])
      expect(commandLines(text(page)).filter((line) => !startsWithCommand(line))).to.deep.equal([])
    })
  }

  it('have a file behind every path of the sources that they name', () => {
    const missing = pages.flatMap((page) => {
      const paths = [...text(page).matchAll(/`((?:src|test|bench|scripts|bin|docs)\/[\w./-]*)`/g)].map(([, path = '']) => path)
      return paths.filter((path) => !existsSync(join(root, path))).map((path) => `${page}: ${path}`)
    })
    expect(missing).to.deep.equal([])
  })
})

function withoutCode(markdown: string): string {
  return markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, 'code')
}

function resolves(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return false
  return anchor === undefined || anchorsOf(text(file)).has(anchor)
}

/** As GitHub makes them of headings; a second one of the same name gets `-1`. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of markdown.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '')
    const anchor = plain.replaceAll(' ', '-')
    let number = 0
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number++
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`)
  }
  return anchors
}

/** What stands after `svc` in code: in `` `svc …` `` and after the prompt of a transcript. */
function commandLines(markdown: string): string[] {
  const inline = [...markdown.matchAll(/`(?:npx )?svc ([^`\n]+)`/g)]
  const typed = [...markdown.matchAll(/^(?:\$ |.*[|&] )(?:npx )?svc ([^\n]+)$/gm)]
  return [...inline, ...typed].map(([, line = '']) => line)
}

function startsWithCommand(line: string): boolean {
  if (/^(-|[A-Z]+\b)/.test(line)) return true
  return commands.some((command) => line === command || line.startsWith(`${command} `) || command.startsWith(`${line} `))
}
