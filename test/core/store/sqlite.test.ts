import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {statSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect} from 'chai'
import {SvcError} from '../../../src/core/errors.js'
import {createSqliteStore} from '../../../src/core/store/sqlite/create-store.js'
import {Database} from '../../../src/core/store/sqlite/database.js'
import {tempFolder} from '../../support/temp.js'
import {storeContract} from './contract.js'

storeContract('SQLite', async () => createSqliteStore(join(await tempFolder(), 'svc.db')))

describe('SQLite file', () => {
  it('and its companions are readable by the owner alone', async () => {
    const file = join(await tempFolder(), 'svc.db')
    const store = createSqliteStore(file)
    await store.probe()
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777, name).to.equal(0o600)
    await store.close()
  })

  it('syncs every commit', async () => {
    const database = new Database(join(await tempFolder(), 'svc.db'))
    expect([database.value('PRAGMA journal_mode'), database.value('PRAGMA synchronous')]).to.deep.equal(['wal', 2])
    database.close()
  })

  it('of a newer svc is left alone', async () => {
    const file = join(await tempFolder(), 'svc.db')
    const newer = new DatabaseSync(file)
    newer.exec('PRAGMA user_version = 999')
    newer.close()
    expect(() => createSqliteStore(file))
      .to.throw(SvcError)
      .with.property('code', 'store-too-new')
  })

  it('that is no database, or no file at all, is storage-unavailable', async () => {
    const folder = await tempFolder()
    for (const file of [folder, '/dev/null/svc.db', '/proc/svc.db']) {
      expect(() => createSqliteStore(file), file)
        .to.throw(SvcError)
        .with.property('code', 'storage-unavailable')
    }
  })

  it('that is full refuses the write, and takes the next one when there is room', async () => {
    const database = new Database(join(await tempFolder(), 'svc.db'))
    database.exec('CREATE TABLE t (x TEXT); PRAGMA max_page_count = 10')
    const write = () => database.transaction(() => database.run('INSERT INTO t VALUES (?)', 'x'.repeat(100_000)))
    expect(write).to.throw(SvcError).with.property('code', 'storage-unavailable')
    database.exec('PRAGMA max_page_count = 1000')
    write()
    expect(database.value('SELECT count(*) FROM t')).to.equal(1)
    database.close()
  })

  it('migrates once when several processes open it at the same moment, and shows none of them a busy database', async function () {
    this.timeout(60_000)
    const file = join(await tempFolder(), 'svc.db')
    const writers = Array.from({length: 8}, () =>
      spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'writer.ts'), file, '100'], {stdio: 'inherit'}),
    )
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0] as number))
    expect(codes).to.deep.equal(Array(8).fill(0))
    const store = createSqliteStore(file)
    expect(Number(new DatabaseSync(file).prepare('SELECT count(*) AS n FROM audit').get()?.n)).to.equal(800)
    await store.close()
  })
})
