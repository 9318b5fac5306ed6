import {setIn} from '../../../src/core/config/key-path.js'
import {updateConfig} from '../../../src/core/config/write.js'

// A process of its own that sets COUNT aliases, one update each, in the configuration of HOME.
const [home, name, count] = process.argv.slice(2) as [string, string, string]
for (let n = 0; n < Number(count); n++) {
  await updateConfig(home, (draft) => setIn(draft, ['models', 'aliases', `${name}.${n}`], 'openai/gpt-5.1'), {env: {}})
}
