import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {ModelServer} from '../support/model-server.js'
import {tempFolder} from '../support/temp.js'

/** A home whose default model, `local/small`, is asked of this server; `fast` is its alias. */
export async function homeWithModel(server: ModelServer, more: object = {}): Promise<string> {
  const home = await tempFolder()
  const providers = {local: {kind: 'openai-compatible', baseURL: server.baseURL, apiKey: 'test-key-1234'}}
  const models = {default: 'local/small', aliases: {fast: 'local/small', 'gpt5.6': 'local/large'}, providers}
  await writeFile(join(home, 'config.json'), JSON.stringify({models, ...more}))
  return home
}
