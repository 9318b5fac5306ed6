import {styleText} from 'node:util'
import {type Cell, forProgram, forReader} from './table.js'

/**
 * One thing, a line for each of its facts: aligned under each other for a reader, tab-separated for a program. What is null or
 * undefined is left out.
 */
export function formatDetails(facts: Record<string, Cell>, terminal: boolean): string {
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  const widest = Math.max(...known.map(([name]) => name.length))
  const line = ([name, value]: [string, Cell]): string =>
    terminal ? `${styleText('dim', name.padEnd(widest))}  ${forReader(value)}\n` : `${name}\t${forProgram(value)}\n`
  return known.map(line).join('')
}
