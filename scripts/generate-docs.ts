/**
 * `npm run docs` brings the generated parts of the pages up to date; with `-- --check` it changes nothing and exits 1 when one of
 * them is stale.
 */
import {writeFile} from 'node:fs/promises'
import {generatedPages} from './generate-docs/pages.js'

const check = process.argv.includes('--check')
const stale = (await generatedPages()).filter(({current, wanted}) => current !== wanted)

for (const {file, path, wanted} of stale) {
  if (!check) await writeFile(path, wanted)
  console.log(`${file} ${check ? 'is stale' : 'was brought up to date'}.`)
}
if (stale.length === 0) console.log('Every generated part is up to date.')
if (check && stale.length > 0) {
  console.log('Run: npm run docs')
  process.exitCode = 1
}
