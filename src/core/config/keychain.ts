import {errorCode} from './home.js'

/** What the operating system's credential store files our entries under. */
const service = 'svc'

interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>
}

/**
 * Reads an entry of the operating system's credential store.
 *
 * @returns undefined when there is no such entry
 * @throws Error keytar is not installed, or the store is locked or not running
 */
export async function readKeychain(name: string): Promise<string | undefined> {
  const keytar = await loadKeytar()
  return (await keytar.getPassword(service, name)) ?? undefined
}

/** keytar is an optional package with a native part: it may be missing, or be there without that part. */
async function loadKeytar(): Promise<Keytar> {
  const packageName: string = 'keytar'
  try {
    const loaded: {default: Keytar} = await import(packageName)
    return loaded.default
  } catch (cause) {
    const missing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(errorCode(cause) ?? '')
    throw missing ? new Error('keytar is not installed', {cause}) : cause
  }
}
