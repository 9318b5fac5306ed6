import {Config, type Interfaces, loadHelpClass} from '@oclif/core'
import {normalizeArgv} from '@oclif/core/help'
import packageJson from '../package.json' with {type: 'json'}
import {reportFailure} from './cli/failure.js'
import {given, isBaseFlag} from './cli/given.js'
import {SvcError} from './core/errors.js'

export interface Launch {
  /** Folder that holds package.json, and `dist` or `src`. */
  root: string
  /** Read the commands from `src` (through tsx) instead of `dist`. */
  source?: boolean
  /** Stands in for package.json: tests bring commands of their own. */
  manifest?: {name: string; version: string; oclif: object}
}

/** Runs one command line. Never throws: a failure is printed and left in `process.exitCode`. */
export async function main(argv: string[], launch: Launch): Promise<void> {
  endWithReader()
  try {
    await dispatch(commandFirst(argv), await loadConfig(launch))
  } catch (error) {
    reportFailure(error, {json: given(argv, 'json'), verbose: given(argv, 'verbose')})
  }
  await new Promise((resolve) => process.stdout.write('', resolve))
}

/** The reader of `svc sessions list | head -1` has what it wanted. A closed stderr must not end the work either. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  process.stderr.on('error', () => {})
}

async function dispatch(argv: string[], config: Config): Promise<void> {
  const [id = '', ...rest] = normalizeArgv(config, argv)
  if (wantsHelp(argv)) return showHelp(argv, config)

  const command = config.findCommand(id)
  if (!command && (id === '' || isBaseFlag(id) || config.findTopic(id))) return showChoice(id, argv, config)
  // Without a command this runs the hook src/hooks/command-not-found.ts.
  await config.runCommand(id, rest, command)
}

/** What can be written after `svc` or after `svc cron`; a program that reads JSON learns that something is missing. */
async function showChoice(id: string, argv: string[], config: Config): Promise<void> {
  const topic = id === '' || isBaseFlag(id) ? [] : [id]
  if (!given(argv, 'json')) return showHelp(topic, config)
  const words = [config.bin, ...topic].join(' ').replaceAll(':', ' ')
  throw new SvcError('invalid-input', `${words} needs a command after it.`, {hint: `${words} --help`})
}

async function showHelp(argv: string[], config: Config): Promise<void> {
  const Help = await loadHelpClass(config)
  await new Help(config, config.pjson.oclif.helpOptions).showHelp(argv)
}

function wantsHelp(argv: string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h')
}

/** `svc --json model` means `svc model --json`; oclif would look for a command named `--json`. */
function commandFirst(argv: string[]): string[] {
  const start = argv.findIndex((word) => !isBaseFlag(word))
  if (start < 1) return argv
  const end = argv.indexOf('--')
  const at = end === -1 ? argv.length : end
  return [...argv.slice(start, at), ...argv.slice(0, start), ...argv.slice(at)]
}

function loadConfig({root, source = false, manifest = packageJson}: Launch): Promise<Config> {
  const {oclif} = manifest
  return Config.load({
    root,
    // The build compiles the plugins' commands in with ours, so that a start reads one manifest and looks for no packages.
    pjson: {...manifest, oclif: source ? fromSource(oclif) : {...oclif, plugins: []}} as unknown as Interfaces.PJSON,
    ignoreManifest: source,
    devPlugins: false,
    // oclif would load any plugin it finds named in ~/.local/share/svc.
    userPlugins: false,
  })
}

function fromSource(oclif: object): object {
  return JSON.parse(JSON.stringify(oclif).replaceAll('./dist/', './src/')) as object
}
