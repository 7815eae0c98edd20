import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { LOG_VERSION } from '../../src/domain/events/log.ts'
import { type } from '../command-line/terminal.ts'
import { start, type Tidying, temporaryData } from '../http/harness.ts'

/** A service over the logs that former versions wrote, by what these were and the version that their log has. */
const LOGS = [
  ['1.0.0', 3],
  ['2.0.0', 5],
] as const

/** Their last events are of 08:00:05 at the latest. */
const LATER = '2030-05-02T08:10:00.000Z'
const SECOND_MACHINE = 'bench 2'
const KEYS = {
  BERTH_VAULT_KEY: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  BERTH_AUDIT_KEY: Buffer.alloc(32, 6).toString('base64'),
  BERTH_ORIGIN: 'lab.example/berth',
}

const oldData = async (t: Tidying, version: string): Promise<string> => {
  const data = await temporaryData(t)
  const database = new DatabaseSync(join(data, 'events.db'))
  database.exec(readFileSync(new URL(`./log-of-${version}.sql`, import.meta.url), 'utf8'))
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

for (const [version, from] of LOGS) {
  test(`a log of version ${version} is upgraded once, keeps its events, goes on and is sound`, async (t) => {
    const data = await oldData(t, version)
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
      t.deepEqual(versionsIn(stored), [from, LOG_VERSION])
    }
    const verified = await type(['verify', '--vault'], { BERTH_DATA: data, ...KEYS })
    t.is(verified.code, 0, verified.out + verified.error)
  })

  test(`commands that read a log of version ${version} do not upgrade it`, async (t) => {
    const data = await oldData(t, version)
    const before = storedIn(data)
    const verified = await type(['verify', '--vault'], { BERTH_DATA: data, ...KEYS })
    t.is(verified.code, 0, verified.out + verified.error)
    t.deepEqual(storedIn(data), before)
  })
}
