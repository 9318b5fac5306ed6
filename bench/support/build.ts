import {execFileSync} from 'node:child_process'
import {globSync, statSync} from 'node:fs'
import {join} from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Builds when a source is newer than what was built from it. */
export function buildWhenStale(): void {
  const sources = globSync(['src/**/*.{ts,tsx}', 'scripts/*.js', 'package.json'], {cwd: root})
  const newest = Math.max(...sources.map((file) => changedAt(join(root, file))))
  if (newest < changedAt(join(root, 'dist/cli.js'))) return
  console.error('Building, for the sources are newer than dist.')
  execFileSync(process.execPath, ['scripts/build.js'], {cwd: root, stdio: ['ignore', 2, 'inherit']})
}

function changedAt(file: string): number {
  return statSync(file, {throwIfNoEntry: false})?.mtimeMs ?? 0
}
