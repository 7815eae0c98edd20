import test from 'ava'
import { parse } from 'csv-parse/sync'
import type { Answer } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { lab, said } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import { until } from '../../until.ts'

/** Reports of demand over HTTP, and both reports as CSV. */

const DAY = 'from=2030-05-02T00:00:00Z&to=2030-05-03T00:00:00Z'
const CSV = { Accept: 'text/csv' }

type Row = Readonly<Record<string, unknown>>
const rowsOf = (answer: Answer): readonly Row[] => answer.json.rows as unknown as readonly Row[]

/** Rows as CSV has them. */
const asText = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
        return [name, text]
      }),
    ),
  )

test('demand is what waited, and what was refused, of everybody or of oneself', async (t) => {
  const service = await lab(t)
  const report = (who: string, query = '') => service.ask(who, `GET /api/report/demand?${DAY}${query}`)
  await service.book('bob', '06:00-09:00')
  t.is(said(await service.book('alice', '06:00-07:00')), '409 reservation_conflict')
  const waiting = { sut_id: service.sut, duration: 3_600, wait: 7_200 }
  const { json: asked } = await service.ask('alice', 'POST /api/sut_request/create', waiting)
  service.clock.set('2030-05-02T06:00:11.400Z')
  const areCounted = async (): Promise<boolean> => {
    service.tick()
    return Object.keys(rowsOf(await report('admin'))[0]?.refused ?? {}).length > 0
  }
  await until('refusals are counted', areCounted, 5_000)
  await service.ask('alice', `POST /api/sut_request/${asked._id}/withdraw`)
  service.clock.set('2030-05-02T08:00:00Z')
  const sums = {
    ...{ bucket: '2030-05-02T00:00:00+00:00', requests: 1, granted: 0, expired: 0, withdrawn: 1 },
    ...{ waited_seconds: 120, waited_longest_seconds: 120, refused: { reservation_conflict: 1 } },
  }
  t.deepEqual(rowsOf(await report('audrey', '&bucket=day')), [{ key: null, name: null, ...sums }])
  const own = [{ key: idOf('alice'), name: 'alice', ...sums }]
  t.deepEqual(rowsOf(await report('audrey', '&bucket=day&by=user')), own)
  t.deepEqual(rowsOf(await report('alice', '&bucket=day&by=user')), own)
  t.deepEqual(rowsOf(await report('bob', '&bucket=day&by=user')), [])
  t.is(said(await report('admin', '&by=sut')), '422 invalid by')
  const csv = await service.ask('audrey', `GET /api/report/demand?${DAY}&bucket=day&by=user`, undefined, CSV)
  t.deepEqual(parse(csv.text, { columns: true }), asText(own))
})

test('a report as CSV has the same rows and columns, and no text is taken for a formula', async (t) => {
  const service = await lab(t, { csv: { perUser: 1 } })
  const admin = service.as('admin')
  const names = ['=1+1', '+1', '-1', '@x', 'with, "quotes"', '\uff1dx', 'plain']
  for (const name of names) {
    const sut_id = await createSut(admin, { name, tags: { rack: name } })
    await service.book('bob', '05:45-06:45', { sut_id })
  }
  service.clock.set('2030-05-02T06:00:00Z')
  const escaped = (name: string): string => (/^[=+\-@\uff1d]/.test(name) ? `'${name}` : name)
  for (const [by, member] of [
    ['sut', 'name'],
    ['tag.rack', 'key'],
  ] as const) {
    const path = `/api/report/usage?${DAY}&bucket=hour&by=${by}`
    const [json, csv] = [await admin.get(path), await admin.get(path, CSV)]
    t.is(csv.headers['content-type'], 'text/csv; charset=utf-8')
    t.is(csv.headers.vary, 'Accept')
    t.deepEqual(csv.text.split('\r\n').slice(0, 1), [Object.keys(rowsOf(json)[0] ?? {}).join()])
    const read = parse(csv.text, { columns: true }) as readonly Row[]
    t.deepEqual(read.map((row) => row[member]).toSorted(), names.map(escaped).toSorted())
    const plain = rowsOf(json).map((row) => ({ ...row, name: escaped(String(row.name)) }))
    t.deepEqual(read, asText(by === 'sut' ? plain : plain.map((row) => ({ ...row, key: row.name }))))
  }
})
