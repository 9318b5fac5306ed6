import {join} from 'node:path'
import {parseEnv} from 'node:util'
import {readText} from './read-text.js'

export interface EnvFile {
  /** What the file sets; empty without a file. */
  values: Record<string, string>
  warnings: string[]
}

/**
 * Reads `.env` in the home, where the secrets are.
 *
 * @throws SvcError `bad-config` when it is there and is not a text
 */
export async function readEnvFile(home: string): Promise<EnvFile> {
  const file = join(home, '.env')
  const content = await readText(file)
  if (content === undefined) return {values: {}, warnings: []}

  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(parseEnv(content.text))) {
    if (/^[A-Za-z_]\w*$/.test(name) && name !== '__proto__' && value !== undefined) values[name] = value
  }
  const warnings: string[] = []
  if (content.shared) warnings.push(`${file} can be read by other users; run: chmod 600 ${file}`)
  if (Object.keys(values).length === 0 && /^\s*[^\s#]/m.test(content.text)) {
    warnings.push(`${file} sets nothing: its lines are not of the form NAME=value.`)
  }
  return {values, warnings}
}
