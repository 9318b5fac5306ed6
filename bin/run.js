#!/usr/bin/env node
import {readFileSync, writeSync} from 'node:fs'

const [first, second, ...more] = process.argv.slice(2)

// Scripts ask for the version often: answer from package.json, before anything else is loaded and on whatever Node this is.
if ((first === '--version' || first === '-v') && (second === undefined || second === '--json') && more.length === 0) {
  const {name, version} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const text = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`
  try {
    writeSync(1, `${second ? JSON.stringify({schemaVersion: 1, ok: true, version, node: process.versions.node}) : text}\n`)
  } catch (error) {
    if (error.code !== 'EPIPE') throw error
  }
} else {
  const {start} = await import('./start.js')
  await start(import.meta.url, () => import('../dist/cli.js'))
}
