import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/** A new empty folder, 0700, that is gone when the running test or suite has ended. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
  leftovers.push(folder)
  return folder
}

const leftovers: string[] = []

async function removeLeftovers(): Promise<void> {
  for (const folder of leftovers.splice(0)) await rm(folder, {recursive: true, force: true})
}

// The long forms of some tests are programs of their own.
if (typeof after === 'function') after(removeLeftovers)
else process.once('beforeExit', removeLeftovers)
