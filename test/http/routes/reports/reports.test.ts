/** Reports over HTTP. */

import test, { type ExecutionContext } from 'ava'
import { parse } from 'csv-parse/sync'
import * as E from 'fp-ts/lib/Either.js'
import { failure } from '../../../../src/domain/failure.ts'
import { parseOffsetTime } from '../../../../src/domain/values/instant.ts'
import type { Call } from '../../../../src/http/protocol/call.ts'
import { makeSending } from '../../../../src/http/response/sending.ts'
import type { Parts } from '../../../../src/http/routes/parts.ts'
import { reporting, reportPieces } from '../../../../src/http/routes/reports/reports.ts'
import { leftOf, rightOf } from '../../../users/builders.ts'
import type { Answer } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { asks, during, lab, said } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import { openLab } from '../../scopes/lab.ts'
import { until } from '../../until.ts'

type Row = Readonly<Record<string, string | number | null | Readonly<Record<string, number>>>>

const rowsOf = (answer: Answer): readonly Row[] => answer.json.rows as unknown as readonly Row[]

const DAY = 'from=2030-05-02T00:00:00Z&to=2030-05-03T00:00:00Z'
const CSV = { Accept: 'text/csv' }
const report = (query = '', span = DAY): string => `GET /api/report/usage?${span}${query}`

interface Told {
  readonly user_id: string
  readonly sut_id: string
  readonly from: number
  held: number
}

/** Sums up the feed: from the later of the start and the record of the creation to the last end that was recorded. */
const sumsOf = (events: readonly { type: string; time: string; data: Record<string, string> }[], now: number) => {
  const told = new Map<string, Told>()
  for (const { type, time, data } of events) {
    const { _id = '', start_time = '', end_time = '', user_id = '', sut_id = '' } = data
    if (type === 'berth.ReservationCreated')
      told.set(_id, { user_id, sut_id, from: Math.max(Date.parse(start_time), Date.parse(time)), held: 0 })
    const one = told.get(_id)
    if (type === 'berth.ReservationCancelled') told.delete(_id)
    else if (one && end_time) one.held = Math.max(0, Math.min(Date.parse(end_time), now) - one.from)
  }
  return (isOf: (one: Told) => boolean): number =>
    Math.floor([...told.values()].filter(isOf).reduce((sum, { held }) => sum + held, 0) / 1000)
}

test('what is reported is what the feed adds up to', async (t) => {
  const service = await lab(t)
  const other = await createSut(service.as('admin'), { name: 'bench "5"' })
  await service.book('alice', '05:45-07:00')
  const { json } = await service.book('bob', '07:00-09:00')
  await service.book('bob', '06:00-06:30', { sut_id: other })
  const cancelled = await service.book('alice', '10:00-11:00')
  await service.ask('alice', `POST /api/sut_reservation/${cancelled.json._id}/cancel`)
  service.clock.set('2030-05-02T07:20:30.600Z')
  await service.ask('bob', `POST /api/sut_reservation/${json._id}/cancel`)
  service.clock.set('2030-05-02T12:00:00Z')
  const page = await service.ask('admin', 'GET /api/events?limit=1000')
  const held = sumsOf(page.json.events as never, Date.parse('2030-05-02T12:00:00Z'))
  for (const [by, ...names] of [
    ['sut', 'bench "5"', 'bench 4'],
    ['user', 'alice', 'bob'],
  ] as const) {
    const rows = rowsOf(await service.ask('audrey', report(`&by=${by}&bucket=day&time_zone=Europe/Berlin`)))
    t.deepEqual(rows.map(({ name }) => name).toSorted(), names)
    for (const { key, bucket, held_seconds } of rows)
      t.deepEqual([bucket, held_seconds], ['2030-05-02T00:00:00+02:00', held((one) => one[`${by}_id`] === key)])
  }
  t.deepEqual((await service.ask('admin', report())).json, {
    ...{ from: '2030-05-02T00:00:00.000Z', to: '2030-05-02T12:00:00.000Z', time_zone: 'UTC' },
    rows: [
      {
        ...{ key: null, name: null, bucket: null, held_seconds: held(() => true), used_seconds: null },
        ...{ reservations: 3, unused_reservations: null, cancelled: 1 },
        ...{ released_early_seconds: 5_969, users: 2, suts: 2 },
      },
    ],
  })
})

test('a report is of at most 400 days on the clock of its zone, up to now, and what it cannot be asked is refused', async (t) => {
  const service = await lab(t)
  const days = (from: string, to: string, zone = 'UTC') => report(`&time_zone=${zone}`, `from=${from}&to=${to}`)
  await asks(t, service, [
    ['admin', days('2029-04-01T00:00:00Z', '2030-05-06T00:00:00Z'), '200'],
    ['admin', days('2029-04-01T00:00:00Z', '2030-05-06T00:00:00.001Z'), '422 invalid to'],
    // It has an hour more: it begins in summer time and ends in winter time.
    ['admin', days('2028-09-30T22:00:00Z', '2029-11-04T23:00:00Z', 'Europe/Berlin'), '200'],
    ['admin', days('2028-09-30T22:00:00Z', '2029-11-04T23:00:00Z'), '422 invalid to'],
    ['admin', days('2030-05-02T05:58:11.400Z', '2030-05-03T00:00:00Z'), '422 invalid from'],
    ['admin', days('2030-05-02T00:00:00Z', '2030-05-01T00:00:00Z'), '422 invalid to'],
    ['admin', report('', 'from=2030-05-01T00:00:00Z'), '422 invalid to'],
    ...['by=tag.', 'by=machine', 'by=tag.%22', 'bucket=year', 'time_zone=Mars/Base', 'time_zone=%2B02:00'].map(
      (one) => ['admin', report(`&${one}`), `422 invalid ${one.split('=')[0]}`] as const,
    ),
    ['admin', `GET /api/report/demand?${DAY}&by=sut`, '422 invalid by'],
  ])
  t.is((await service.as('admin').request('HEAD', `/api/report/usage?${DAY}`)).status, 200)
})

const seen = async (t: ExecutionContext, answer: Promise<Answer>, member = 'name') => {
  const found = await answer
  t.is(found.status, 200, found.text)
  return rowsOf(found)
    .map((row) => row[member])
    .toSorted()
}

test('a tester sees the machines in its scope, and of people only itself', async (t) => {
  const scoped = await openLab(t)
  await scoped.post(`/api/user/${scoped.ids.get('alice')}/update`, { scope: 'team=qa1' })
  await scoped.addSut('inside', { team: 'qa1' })
  await scoped.addSut('outside', { team: 'qa2' })
  const { start_time, end_time } = during('05:45-06:30')
  await scoped.reserve('own', 'outside', 'alice', start_time, end_time)
  await scoped.reserve('theirs', 'inside', 'bob', start_time, end_time)
  scoped.service.clock.set('2030-05-02T06:30:00Z')
  const ask = (who: string, query: string) => scoped.service.as(who).get(`/api/report/usage?${DAY}${query}`)
  t.is(said(await ask('alice', '&by=tag.team')), '403 forbidden')
  for (const [who, query, expected, member] of [
    ['alice', '&by=sut', ['inside']],
    ['alice', '', [1], 'suts'],
    ['alice', '&by=user', ['alice']],
    ['bob', '&by=sut', ['inside', 'outside']],
    ['bob', '&by=user', ['bob']],
    ['admin', '&by=tag.team', ['qa1', 'qa2'], 'key'],
    ['admin', '&by=user', ['alice', 'bob']],
  ] as const)
    t.deepEqual(await seen(t, ask(who, query), member), [...expected], `${who} ${query}`)
})

test('users whose names were erased, and retired machines, stay in reports', async (t) => {
  const service = await lab(t)
  await service.book('alice', '05:45-06:30')
  service.clock.set('2030-05-02T06:30:00Z')
  await service.ask('admin', `POST /api/sut/${service.sut}/retire`)
  await service.ask('admin', `POST /api/user/${idOf('alice')}/remove`, { reservations: 'keep' })
  await service.ask('admin', `POST /api/user/${idOf('alice')}/erase`, {})
  t.deepEqual(await seen(t, service.ask('admin', report('&by=sut'))), ['bench 4'])
  t.deepEqual(await seen(t, service.ask('admin', report('&by=user'))), [idOf('alice')])
})

test('a report with more rows than one may have is refused', (t) => {
  const span = { from: 0, to: 1, timeZone: 'UTC' }
  const refused = reportPieces({} as Parts, { mediaType: 'application/json' } as Call, span, undefined)
  t.is(leftOf(refused).code, 'report_too_large')
})

test('who has as many reports under way as one may have is refused before another is read', async (t) => {
  const reading = Promise.withResolvers<E.Either<ReturnType<typeof failure>, never>>()
  let reads = 0
  const handler = reporting(() => {
    reads++
    return reading.promise
  })
  const parts = { sending: makeSending({ perUser: 1 }), clock: () => Date.parse('2030-05-02T00:00:00Z') } as Parts
  const [from, to] = ['2030-05-01T00:00:00Z', '2030-05-02T00:00:00Z'].map((time) => rightOf(parseOffsetTime(time)))
  const ask = (_id: string) => handler(parts, { user: { _id, role: 'auditor' }, query: { from, to } } as never)
  const first = ask('alice')
  t.is(leftOf(await ask('alice')).code, 'unavailable')
  const other = ask('bob')
  t.is(reads, 2)
  reading.resolve(E.left(failure('store_full', '')))
  t.is(leftOf(await first).code, 'store_full')
  t.is(leftOf(await other).code, 'store_full')
  t.is(leftOf(await ask('alice')).code, 'store_full', 'a report that fails leaves its place')
})

/** Rows as CSV has them. */
const asText = (rows: readonly Row[]) =>
  rows.map((row) => {
    const texts = Object.entries(row).map(([name, value]) => {
      const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
      return [name, text] as const
    })
    return Object.fromEntries(texts)
  })

test('demand is what waited, and what was refused, of everybody or of oneself', async (t) => {
  const service = await lab(t)
  const ask = (who: string, query: string, headers = {}) =>
    service.ask(who, `GET /api/report/demand?${DAY}&bucket=day${query}`, undefined, headers)
  await service.book('bob', '06:00-09:00')
  t.is(said(await service.book('alice', '06:00-07:00')), '409 reservation_conflict')
  const waiting = { sut_id: service.sut, duration: 3_600, wait: 7_200 }
  const { json: asked } = await service.ask('alice', 'POST /api/sut_request/create', waiting)
  service.clock.set('2030-05-02T06:00:11.400Z')
  const areCounted = async (): Promise<boolean> => {
    service.tick()
    return Object.keys(rowsOf(await ask('admin', ''))[0]?.refused ?? {}).length > 0
  }
  await until('refusals are counted', areCounted, 5_000)
  await service.ask('alice', `POST /api/sut_request/${asked._id}/withdraw`)
  service.clock.set('2030-05-02T08:00:00Z')
  const sums = {
    ...{ bucket: '2030-05-02T00:00:00+00:00', requests: 1, granted: 0, expired: 0, withdrawn: 1 },
    ...{ waited_seconds: 120, waited_longest_seconds: 120, refused: { reservation_conflict: 1 } },
  }
  const own = [{ key: idOf('alice'), name: 'alice', ...sums }]
  t.deepEqual(rowsOf(await ask('audrey', '')), [{ key: null, name: null, ...sums }])
  for (const who of ['audrey', 'alice']) t.deepEqual(rowsOf(await ask(who, '&by=user')), own)
  t.deepEqual(rowsOf(await ask('bob', '&by=user')), [])
  t.deepEqual(parse((await ask('audrey', '&by=user', CSV)).text, { columns: true }), asText(own))
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
  for (const by of ['sut', 'tag.rack']) {
    const path = `/api/report/usage?${DAY}&bucket=hour&by=${by}`
    const [json, csv] = [await admin.get(path), await admin.get(path, CSV)]
    t.deepEqual([csv.headers['content-type'], csv.headers.vary], ['text/csv; charset=utf-8', 'Accept'])
    t.is(csv.text.split('\r\n')[0], Object.keys(rowsOf(json)[0] ?? {}).join())
    const read = parse(csv.text, { columns: true }) as readonly Row[]
    t.deepEqual(read.map(({ name }) => name).toSorted(), names.map(escaped).toSorted())
    const plain = rowsOf(json).map((row) => ({
      ...row,
      name: escaped(String(row.name)),
      key: escaped(String(row.key)),
    }))
    t.deepEqual(read, asText(plain))
  }
})
