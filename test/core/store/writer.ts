import {createSqliteStore} from '../../../src/core/store/sqlite/create-store.js'

// A process of its own that writes COUNT entries into the store FILE; its exit code says whether every write went through.
const [file, count] = process.argv.slice(2) as [string, string]
const store = createSqliteStore(file)
for (let n = 0; n < Number(count); n++) {
  await store.audit.append({
    at: new Date().toISOString(),
    actor: 'test',
    action: 'write',
    subject: String(n),
    detail: {pid: process.pid},
  })
}
await store.close()
