import { randomBytes } from 'node:crypto'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { UnusableLog } from '../../../src/event-store/event-store.ts'
import { type } from '../../command-line/terminal.ts'
import { withoutTriggers } from '../../event-store/sqlite/without-triggers.ts'
import { start, temporaryData } from '../../http/harness.ts'
import { createSut } from '../../http/requests.ts'

/** What somebody who can write the file removes from it, and what is found then. */
const REMOVALS: readonly (readonly [sql: string, what: RegExp])[] = [
  ["DELETE FROM meta WHERE name = 'log_id'", /the row log_id of meta is missing/],
  ["DELETE FROM meta WHERE name = 'end'", /the row end of meta is missing/],
  ["DELETE FROM meta WHERE name = 'heads'", /the row heads of meta is missing/],
  ["DELETE FROM vault WHERE sut_id = '-audit'", /the log no longer knows its audit key/],
  ["DELETE FROM vault WHERE sut_id = '-'", /the log no longer knows the keys of its vault/],
  [
    'DELETE FROM event WHERE position = (SELECT max(position) FROM event)',
    /the log ends at \d+, but the last append was at/,
  ],
]

test('a log from which a row beside its events was removed is unsound, and no service starts on it', async (t) => {
  const service = await start(t)
  await createSut(service.as('admin'))
  await service.stop()
  t.is((await type(['verify', '--vault'], { BERTH_DATA: service.data })).code, 0)
  const home = await temporaryData(t)
  for (const [n, [sql, what]] of REMOVALS.entries()) {
    const data = join(home, String(n))
    await mkdir(data)
    for (const name of ['events.db', 'vault.key', 'audit.key']) await cp(join(service.data, name), join(data, name))
    const database = new DatabaseSync(join(data, 'events.db'))
    withoutTriggers(database, () => t.not(database.prepare(sql).run().changes, 0, sql))
    database.close()
    for (const line of [['verify'], ['verify', '--vault']]) {
      const { code, out } = await type(line, { BERTH_DATA: data })
      t.is(code, 3, sql)
      t.regex(out, what)
      t.regex(out, /^NOT sound/m)
    }
    const refused = await t.throwsAsync(start(t, { data }), { instanceOf: UnusableLog, message: what }, sql)
    t.is((refused as UnusableLog).exitCode, 1)
  }
})

test('another audit key is not taken after the log has lost what it knew of its own, until it is replaced', async (t) => {
  const service = await start(t)
  await service.stop()
  const { data } = service
  const database = new DatabaseSync(join(data, 'events.db'))
  database.exec("DELETE FROM vault WHERE sut_id = '-audit'")
  database.close()
  await writeFile(join(data, 'audit.key'), randomBytes(32).toString('base64'))
  await t.throwsAsync(start(t, { data }), { instanceOf: UnusableLog, message: /berth audit key --replace/ })
  t.is((await type(['audit', 'key', '--replace'], { BERTH_DATA: data })).code, 0)
  const again = await start(t, { data })
  const { json } = await again.as('admin').get('/api/events?type=AuditKeyReplaced')
  t.is((json.events as readonly unknown[]).length, 1)
})
