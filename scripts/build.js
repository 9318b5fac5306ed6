/**
 * Compiles src into dist and writes down what `svc --help` and the dispatch need to know about the commands (oclif.manifest.json).
 *
 * One file a command, shared code in chunks: a command loads only what it uses, from a few files instead of several hundred.
 */
import fs from 'node:fs'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {Plugin} from '@oclif/core'
import {build} from 'esbuild'
import {lazyOclif} from './lazy-oclif.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const {oclif, optionalDependencies} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
const defineRequire = `import {createRequire} from 'node:module'\nconst require = createRequire(import.meta.url)\n`

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error('svc needs Node 24 or newer: https://nodejs.org/en/download')
  process.exit(1)
}

const files = await compile()
replaceDist(files)
await writeManifest()

async function compile() {
  const {outputFiles} = await build({
    absWorkingDir: root,
    entryPoints: [...ownEntries(), ...oclif.plugins.flatMap(pluginCommands)],
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
    // An optional package may be missing, or hold a binary; Ink and oclif ask for these two only while one develops.
    external: [...Object.keys(optionalDependencies), 'react-devtools-core', 'typescript'],
    alias: {
      // The half of it that is CommonJS hides what it requires from the bundler.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // plugin-autocomplete expects the exports of ejs 3; the CommonJS file of ejs 6, which oclif brings, still has them.
      ejs: './node_modules/ejs/lib/cjs/ejs.js',
    },
    define: {
      'process.env.NODE_ENV': '"production"',
      __dirname: 'import.meta.dirname',
      __filename: 'import.meta.filename',
    },
    plugins: [lazyOclif],
    // esbuild has said already what is wrong, and where.
  }).catch(() => process.exit(1))
  return outputFiles.map(({path: file, text}) => ({file, text: needsRequire(text) ? defineRequire + text : text}))
}

function ownEntries() {
  const entries = fs.globSync(['src/cli.ts', 'src/commands/**/*.{ts,tsx}', 'src/hooks/*.ts'], {cwd: root})
  return entries.map((file) => ({in: file, out: path.relative('src', file).replace(/\.tsx?$/, '')}))
}

/** The plugins' commands are compiled in with ours, so that a start reads one manifest and looks for no packages. */
function pluginCommands(name) {
  const home = path.join('node_modules', name, 'lib')
  const entries = fs.globSync('commands/**/*.js', {cwd: path.join(root, home)})
  return entries.map((file) => ({in: path.join(home, file), out: file.replace(/\.js$/, '')}))
}

/** Whether this chunk holds the function through which bundled CommonJS asks for `node:fs` and the like. */
function needsRequire(text) {
  return text.includes('typeof require !== "undefined"')
}

/**
 * Files come into place one by one and whole, and the chunks of earlier builds stay for an hour: a command that runs meanwhile
 * still finds what it imports later.
 */
function replaceDist(files) {
  const current = new Set(files.map(({file}) => file))
  for (const {file, text} of files) {
    fs.mkdirSync(path.dirname(file), {recursive: true})
    const draft = `${file}.${process.pid}`
    fs.writeFileSync(draft, text)
    fs.renameSync(draft, file)
  }
  for (const name of fs.globSync('dist/**/*.js*', {cwd: root})) {
    const file = path.join(root, name)
    const expendable = !name.startsWith(path.join('dist', 'chunks')) || Date.now() - fs.statSync(file).mtimeMs > 3_600_000
    if (!current.has(file) && expendable) fs.rmSync(file, {force: true})
  }
}

async function writeManifest() {
  const plugin = new Plugin({root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true, respectNoCacheDefault: true})
  await plugin.load()
  const file = path.join(root, 'oclif.manifest.json')
  fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(plugin.manifest))
  fs.renameSync(`${file}.${process.pid}`, file)
}
