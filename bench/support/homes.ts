import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

let folder: Promise<string> | undefined
let count = 0

/**
 * An empty home whose provider is the stub.
 *
 * @param gateway what differs from the defaults of that section
 */
export async function newHome(stub?: {baseURL: string}, gateway: Record<string, unknown> = {}): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), 'svc-bench-'))
  const home = join(await folder, `home-${++count}`)
  await mkdir(home, {mode: 0o700})
  const providers = stub && {stub: {kind: 'openai-compatible', baseURL: stub.baseURL, apiKey: 'test'}}
  const models = providers ? {default: 'stub/instant', providers} : {default: 'offline/assistant'}
  await writeFile(join(home, 'config.json'), JSON.stringify({models, gateway}), {mode: 0o600})
  return home
}

export async function removeHomes(): Promise<void> {
  if (folder) await rm(await folder, {recursive: true, force: true})
}
