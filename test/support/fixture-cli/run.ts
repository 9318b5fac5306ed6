import {main} from '../../../src/cli.js'
import packageJson from './package.json' with {type: 'json'}

await main(process.argv.slice(2), {root: import.meta.dirname, source: true, manifest: packageJson})
