import {join} from 'node:path'
import {root} from './build.js'
import {type Child, startChild} from './child.js'

export interface Stub extends Child {
  /** For `models.providers.<name>.baseURL`. */
  baseURL: string
  /** The body of the newest request, as text. */
  last(): Promise<string>
}

export async function startStub(): Promise<Stub> {
  const child = await startChild([join(root, 'bench/stub-provider.ts')], {PATH: process.env.PATH}, ({event}) => event === 'ready')
  const origin = `http://127.0.0.1:${child.ready.port}`
  return {...child, baseURL: `${origin}/v1`, last: async () => (await fetch(`${origin}/last`)).text()}
}
