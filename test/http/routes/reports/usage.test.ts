import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../../../src/domain/values/position.ts'
import type { Call } from '../../../../src/http/protocol/call.ts'
import type { Parts } from '../../../../src/http/routes/parts.ts'
import { respondWithReport } from '../../../../src/http/routes/reports/reports.ts'
import { leftOf } from '../../../users/builders.ts'
import type { Answer } from '../../client.ts'
import { idOf } from '../../harness.ts'
import { during, lab, said } from '../../lab.ts'
import { createSut } from '../../requests.ts'
import { openLab } from '../../scopes/lab.ts'

/** Reports of usage over HTTP. */

type Row = Readonly<Record<string, string | number | null>>

const rowsOf = (answer: Answer): readonly Row[] => answer.json.rows as unknown as readonly Row[]

const DAY = 'from=2030-05-02T00:00:00Z&to=2030-05-03T00:00:00Z'
const report = (query = '', span = DAY): string => `GET /api/report/usage?${span}${query}`

/** What happened to one reservation, as the feed tells it. */
interface Told {
  user: string
  sut: string
  held: number
}

/** Sums up the feed: from the later of the start and the record of the creation to the last end that was recorded. */
const sumsOf = (events: readonly { type: string; time: string; data: Record<string, string> }[], now: number) => {
  const told = new Map<string, Told & { from: number }>()
  for (const { type, time, data } of events) {
    const { _id = '', start_time = '', end_time = '', user_id = '', sut_id = '' } = data
    if (type === 'berth.ReservationCreated') {
      const from = Math.max(Date.parse(start_time), Date.parse(time))
      told.set(_id, { user: user_id, sut: sut_id, from, held: 0 })
    }
    const one = told.get(_id)
    if (type === 'berth.ReservationCancelled') told.delete(_id)
    else if (one !== undefined && end_time !== '')
      one.held = Math.max(0, Math.min(Date.parse(end_time), now) - one.from)
  }
  return [...told.values()]
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
  const told = sumsOf(page.json.events as never, Date.parse('2030-05-02T12:00:00Z'))
  const heldBy = (member: 'user' | 'sut', key: unknown): number =>
    Math.floor(told.filter((one) => one[member] === key).reduce((sum, { held }) => sum + held, 0) / 1000)
  for (const [by, member] of [
    ['sut', 'sut'],
    ['user', 'user'],
  ] as const) {
    const answer = await service.ask('audrey', report(`&by=${by}&bucket=day&time_zone=Europe/Berlin`))
    const rows = rowsOf(answer)
    t.is(rows.length, 2)
    for (const { key, held_seconds } of rows) t.is(held_seconds, heldBy(member, key), `${by} ${key}`)
    t.deepEqual(
      rows.map(({ bucket }) => bucket),
      ['2030-05-02T00:00:00+02:00', '2030-05-02T00:00:00+02:00'],
    )
    const names = { sut: ['bench 4', 'bench "5"'], user: ['alice', 'bob'] }[by]
    t.deepEqual(rows.map(({ name }) => name).toSorted(), names.toSorted())
  }
  const { json: all } = await service.ask('admin', report())
  t.deepEqual(all, {
    ...{ from: '2030-05-02T00:00:00.000Z', to: '2030-05-02T12:00:00.000Z', time_zone: 'UTC' },
    rows: [
      {
        ...{ key: null, name: null, bucket: null },
        ...{ held_seconds: Math.floor(told.reduce((sum, { held }) => sum + held, 0) / 1000), used_seconds: null },
        ...{ reservations: 3, unused_reservations: null, cancelled: 1 },
        ...{ released_early_seconds: 5_969, users: 2, suts: 2 },
      },
    ],
  })
})

test('a report is of at most 400 days on the clock of its zone, up to now', async (t) => {
  const service = await lab(t)
  const days = (from: string, to: string, zone = 'UTC') =>
    service.ask('admin', report(`&time_zone=${zone}`, `from=${from}&to=${to}`)).then(said)
  t.is(await days('2029-04-01T00:00:00Z', '2030-05-06T00:00:00Z'), '200')
  t.is(await days('2029-04-01T00:00:00Z', '2030-05-06T00:00:00.001Z'), '422 invalid to')
  // It has an hour more: it begins in summer time and ends in winter time.
  t.is(await days('2028-09-30T22:00:00Z', '2029-11-04T23:00:00Z', 'Europe/Berlin'), '200')
  t.is(await days('2028-09-30T22:00:00Z', '2029-11-04T23:00:00Z'), '422 invalid to')
  t.is(await days('2030-05-02T05:58:11.400Z', '2030-05-03T00:00:00Z'), '422 invalid from')
})

test('what a report cannot be asked for is refused', async (t) => {
  const service = await lab(t)
  const refused = async (query: string) => said(await service.ask('admin', `GET /api/report/usage?${query}`))
  t.is(await refused('from=2030-05-01T00:00:00Z'), '422 invalid to')
  for (const one of ['by=tag.', 'by=machine', 'by=tag.%22', 'bucket=year', 'time_zone=Mars/Base', 'time_zone=%2B02:00'])
    t.is(await refused(`${DAY}&${one}`), `422 invalid ${one.split('=')[0]}`, one)
  t.is(await refused('from=2030-05-02T00:00:00Z&to=2030-05-01T00:00:00Z'), '422 invalid to')
  t.is((await service.as('admin').request('HEAD', `/api/report/usage?${DAY}`)).status, 200)
})

const seen = async (t: ExecutionContext, answer: Promise<Answer>, member = 'name') => {
  const found = await answer
  t.is(found.status, 200, found.text)
  return rowsOf(found).map((row) => row[member])
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
  t.deepEqual(await seen(t, ask('alice', '&by=sut')), ['inside'])
  t.deepEqual(await seen(t, ask('alice', ''), 'suts'), [1])
  t.deepEqual(await seen(t, ask('alice', '&by=user')), ['alice'])
  t.is(said(await ask('alice', '&by=tag.team')), '403 forbidden')
  t.deepEqual((await seen(t, ask('bob', '&by=sut'))).toSorted(), ['inside', 'outside'])
  t.deepEqual(await seen(t, ask('bob', '&by=user')), ['bob'])
  t.deepEqual(await seen(t, ask('admin', '&by=tag.team'), 'key'), ['qa1', 'qa2'])
  t.deepEqual((await seen(t, ask('admin', '&by=user'))).toSorted(), ['alice', 'bob'])
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
  const none = { position: toPublicPosition(0), listed: undefined }
  const span = { from: 0, to: 1, timeZone: 'UTC' }
  const refused = respondWithReport({} as Parts, { mediaType: 'application/json' } as Call, span, none)
  t.is(leftOf(refused).code, 'report_too_large')
})
