import fs from 'node:fs'

/**
 * oclif loads all of itself, and half of what that needs, before the first command line is read: 45 ms of which a command uses 20.
 * This esbuild plugin makes each of its modules load when it is first used, and leaves out three things that cost most.
 */
export const lazyOclif = {
  name: 'lazy-oclif',
  setup(build) {
    build.onLoad({filter: /@oclif\/core\/lib\/.*\.js$/}, ({path}) => {
      let contents = lazyRequires(fs.readFileSync(path, 'utf8'))
      for (const [ending, costly, instead] of omissions) {
        if (!path.endsWith(ending)) continue
        if (!contents.includes(costly)) throw new Error(`${path} has changed: look again at "${costly}".`)
        contents = contents.replace(costly, instead)
      }
      return {contents, loader: 'js'}
    })
  },
}

/** [file, code, replacement] */
const omissions = [
  // 6 ms to load the collation tables of ICU, for commands that the manifest holds in order already.
  ['lib/config/plugin.js', '.sort((a, b) => a.id.localeCompare(b.id))', ''],
  // 4 ms to see whether this is Linux under Windows, for a word in the version text.
  ['lib/util/os.js', "(await import('wsl-utils')).isWsl ? 'wsl' : ", ''],
  // 3 ms to compare the version of Node, which bin/start.js has done.
  ['lib/index.js', '\ncheckNodeVersion();', ''],
]

/** Turns `const x_1 = require("./x")`, as the TypeScript compiler writes it, into a `require` wherever `x_1` stands. */
function lazyRequires(code) {
  const modules = new Map()
  const rest = code.replace(/^(?:const|var) (\w+_\d+) = ((?:__importDefault\()?require\("[^"]+"\)\)?);$/gm, (_, name, load) => {
    modules.set(name, `(${load})`)
    return ''
  })
  return rest.replace(/\b\w+_\d+\b/g, (name) => modules.get(name) ?? name)
}
