import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import type {StormReport} from './kill-storm.js'

/** What the storm must not have done; every list is empty when all is well. */
export interface Damage {
  integrity: string[]
  /** Acknowledged, and without exactly one turn. */
  lostOrRepeated: string[]
  /** Turns that have no outcome, or not exactly one last event. */
  undecided: string[]
  /** Completed turns without exactly one whole reply in the history. */
  answeredTwiceOrNever: string[]
  /** Failed, cancelled or interrupted, though nothing but kills was wrong. */
  notCompleted: string[]
  /** Markers that a tool of unknown idempotence wrote more than once. */
  toolsRunTwice: string[]
}

export interface Aftermath {
  damage: Damage
  turns: number
  takeovers: number
}

/** Looks for damage in the home that a storm left behind, with nothing of svc between us and the file. */
export async function inspect({home, acknowledged}: StormReport): Promise<Aftermath> {
  const database = new DatabaseSync(join(home, 'svc.db'), {readOnly: true})
  const column = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]))
  const turns = database
    .prepare('SELECT t.id, t.status, t.takeovers, m.text FROM turns t JOIN messages m ON m.id = t.message_id')
    .all() as {id: string; status: string; takeovers: number; text: string}[]
  const countByMarker = new Map<string, number>()
  for (const {text} of turns) {
    const marker = text.split(' ').at(-1) as string
    countByMarker.set(marker, (countByMarker.get(marker) ?? 0) + 1)
  }

  const damage: Damage = {
    integrity: column('PRAGMA integrity_check').filter((line) => line !== 'ok'),
    lostOrRepeated: [
      ...acknowledged.filter((marker) => !countByMarker.has(marker)),
      ...[...countByMarker].filter(([, count]) => count > 1).map(([marker]) => marker),
    ],
    undecided: column(`SELECT t.id FROM turns t LEFT JOIN events e ON e.turn_id = t.id
      AND json_extract(e.body, '$.type') IN ('turn.completed', 'turn.failed', 'turn.cancelled')
      GROUP BY t.id HAVING t.finished_at IS NULL OR count(e.id) <> 1`),
    answeredTwiceOrNever: column(`SELECT t.id FROM turns t LEFT JOIN messages m ON m.turn_id = t.id AND m.role = 'assistant'
      AND m.text <> '' AND m.partial = 0 WHERE t.status = 'completed' GROUP BY t.id HAVING count(m.id) <> 1`),
    notCompleted: turns.filter(({status}) => status !== 'completed').map(({id, status}) => `${id} ${status}`),
    toolsRunTwice: repeated(await notedMarkers(home)),
  }
  database.close()
  return {damage, turns: turns.length, takeovers: turns.reduce((sum, {takeovers}) => sum + takeovers, 0)}
}

async function notedMarkers(home: string): Promise<string[]> {
  const folder = join(home, 'agents', 'assistant', 'memory')
  const files = await readdir(folder).catch(() => [])
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => text.match(/m-[a-z]+\d+-\d+/g) ?? [])
}

const repeated = (values: string[]): string[] => [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
