import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { LOG_VERSION } from '../../src/domain/events/log.ts'
import { type } from '../command-line/terminal.ts'
import { start, type Tidying, temporaryData } from '../http/harness.ts'

/** A service over the log that version 1.0.0 wrote. */

const OLD_LOG = readFileSync(new URL('./log-of-1.0.0.sql', import.meta.url), 'utf8')
/** Its last event is of 08:00:05. */
const LATER = '2030-05-02T08:10:00.000Z'
const SECOND_MACHINE = 'bench 2'
const KEYS = {
  BERTH_VAULT_KEY: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  BERTH_AUDIT_KEY: Buffer.alloc(32, 6).toString('base64'),
  BERTH_ORIGIN: 'lab.example/berth',
}

const oldData = async (t: Tidying): Promise<string> => {
  const data = await temporaryData(t)
  const database = new DatabaseSync(join(data, 'events.db'))
  database.exec(OLD_LOG)
  database.close()
  return data
}

const storedIn = (data: string): readonly string[] => {
  const database = new DatabaseSync(join(data, 'events.db'), { readOnly: true })
  const rows = database.prepare('SELECT recorded FROM event ORDER BY position').all()
  database.close()
  return rows.map(({ recorded }) => String(recorded))
}

const versionsIn = (stored: readonly string[]): readonly unknown[] =>
  stored
    .map((text) => JSON.parse(text) as { readonly type: string; readonly data: { readonly version: number } })
    .flatMap((event) => (event.type === 'LogVersionSet' ? [event.data.version] : []))

test('a log of version 1.0.0 is upgraded once, keeps its events, goes on and is sound', async (t) => {
  const data = await oldData(t)
  const before = storedIn(data)
  for (let round = 1; round <= 2; round++) {
    const service = await start(t, { now: LATER, data, environment: KEYS })
    const [sut] = (await service.as('alice').get(`/api/sut?name=${encodeURIComponent(SECOND_MACHINE)}`)).json
      .suts as readonly { readonly _id: string; readonly name: string }[]
    t.is(sut?.name, SECOND_MACHINE)
    const updated = await service.as('admin').post(`/api/sut/${sut?._id}/update`, { os: `round ${round}` })
    t.is(updated.status, 200, updated.text)
    await service.stop()
    const stored = storedIn(data)
    t.deepEqual(stored.slice(0, before.length), before)
    t.deepEqual(versionsIn(stored), [3, LOG_VERSION])
  }
  const verified = await type(['verify', '--vault'], { BERTH_DATA: data, ...KEYS })
  t.is(verified.code, 0, verified.out + verified.error)
})

test('commands that read a log of version 1.0.0 do not upgrade it', async (t) => {
  const data = await oldData(t)
  const before = storedIn(data)
  const verified = await type(['verify', '--vault'], { BERTH_DATA: data, ...KEYS })
  t.is(verified.code, 0, verified.out + verified.error)
  t.deepEqual(storedIn(data), before)
})
