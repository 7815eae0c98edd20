/** A log as Parquet, as DuckDB reads it. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { TABLES } from '../../src/archive/tables/tables.ts'
import { writeTables } from '../../src/archive/tables/write-tables.ts'
import type { Event } from '../../src/domain/event.ts'
import { canonicalJson } from '../../src/domain/values/canonical-json.ts'
import { toPublicPosition, toStorePosition } from '../../src/domain/values/position.ts'
import type { StoredRecord } from '../../src/event-store/event-store.ts'
import {
  BEGINNING,
  closedSession,
  FIRST,
  made,
  monitored,
  of,
  offline,
  online,
  openedSession,
  PORT,
  retired,
  SECOND,
  SUT,
  write,
} from '../audit/rules/morning.ts'
import { type } from '../command-line/terminal.ts'
import {
  alice,
  bob,
  idOf,
  reservationCancelled,
  reservationExtended,
  reservationReleased,
  wall,
} from '../domain/builders.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'
import { idOf as idOfUser, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { openDuckDb } from './duckdb.ts'

type Log = Parameters<typeof write>[0]
type Options = Parameters<typeof writeTables>[1]

/** A page of records, of which the first is the nth event. */
const pageOf = (events: readonly object[], n = 0): readonly StoredRecord[] =>
  events.map((event, i) => ({ text: canonicalJson(event), storePosition: toStorePosition(n + i) }))

/** The tables of a log, and a function that asks DuckDB about them. */
const tablesOf = async (
  t: ExecutionContext,
  pages: readonly (readonly StoredRecord[])[],
  more: Partial<Options> = {},
) => {
  const output = join(await aDirectory(t), 'tables')
  const exported = { events: 0, first: null, last: null }
  const options = { origin: 'lab', to: undefined, output, names: undefined, onProgress: () => undefined, ...more }
  async function* records() {
    yield* pages
  }
  await writeTables(records(), options, exported)
  const ask = await openDuckDb(t)
  return {
    exported,
    ask: (what: string, table: string) => ask(`SELECT ${what} FROM '${output}/${table}.parquet'`),
    groupsOf: async (table: string) => {
      const lengths = `SELECT DISTINCT row_group_num_rows AS n FROM parquet_metadata('${output}/${table}.parquet')`
      return (await ask(`${lengths} ORDER BY n`)).map(({ n }) => n)
    },
  }
}

const REQUEST = idOf(78)
const requested = { _id: REQUEST, user_id: bob, match: { os: 'linux' }, duration: 3_600, priority: 2 }
const waits = { ...requested, expires_at: '2030-05-03T06:00:00.000Z', keepalive: 600 }
const granted = { _id: REQUEST, user_id: bob, sut_id: SUT, sut_reservation_id: SECOND }
const counted = {
  ...{ from: '2030-05-02T07:40:00.000Z', to: '2030-05-02T07:41:00.000Z', others: 4 },
  refusals: [{ user_id: bob, code: 'no_sut_free', count: 3, match: { os: 'linux' } }],
}
const session = openedSession(1, '06:05')

const LOG: Log = [
  ...BEGINNING,
  ['05:12', monitored(60)],
  made('05:20', 1, '06:00', '07:00'),
  ['05:20', { type: 'ReservationRequested', data: waits } as Event],
  made('05:21', 2, '08:00', '09:00', bob),
  ['05:22', { type: 'RequestGranted', data: granted } as Event],
  ['05:23', of(reservationCancelled(SECOND, bob))],
  ['05:24', { type: 'ReservationRequested', data: { ...waits, _id: idOf(79) } } as Event],
  ['05:30', offline],
  ['05:45', online],
  ['06:05', session],
  ['06:10', of(reservationExtended(FIRST, wall('07:30')))],
  ['06:50', closedSession(session, '06:50')],
  ['07:00', of(reservationReleased(FIRST, wall('07:00')))],
  ['07:41', { type: 'RefusalsCounted', data: counted } as Event],
  // After its start.
  made('08:10', 3, '08:00', '09:00'),
  ['08:20', offline],
  ['08:30', retired],
]

test('the tables have each object as of the end of the log, with times in UTC', async (t) => {
  const { ask, exported } = await tablesOf(t, [pageOf(write(LOG))])
  t.deepEqual(exported as object, { events: LOG.length, first: 0, last: LOG.length - 1 })
  const at = (time: string): string => `2030-05-02 ${time}:00+00`
  const [first, second, third] = await ask('*', 'reservations')
  t.deepEqual(first, {
    ...{ id: FIRST, sut_id: SUT, user_id: alice, series_id: null, listen_port: PORT, ended: 'released' },
    ...{ created_at: at('05:20'), updated_at: at('07:00'), start_time: at('06:00'), end_time: at('07:00') },
    ...{ planned_end_time: at('07:30'), held_from: at('06:00'), held_to: at('07:00') },
  })
  t.like(second, { id: SECOND, ended: 'cancelled', held_from: null, held_to: null, end_time: at('09:00') })
  t.like(third, { ended: null, held_from: at('08:10'), held_to: at('09:00'), start_time: at('08:00') })
  t.deepEqual(await ask('*', 'sessions'), [
    {
      ...{ id: (session.data as { _id: string })._id, reservation_id: FIRST, sut_id: SUT, user_id: alice },
      ...{ instance: '0123456789abcdef', opened_at: at('06:05'), closed_at: at('06:50'), cause: 'client' },
      ...{ connections: '2', bytes_to_sut: '1', bytes_from_sut: '9' },
    },
  ])
  const [request, waiting] = await ask('*', 'requests')
  t.deepEqual(request, {
    ...{ id: REQUEST, user_id: bob, sut_id: null, match: '{"os":"linux"}', duration_seconds: 3_600, priority: 2 },
    ...{ keepalive_seconds: 600, created_at: at('05:20'), expires_at: '2030-05-03 06:00:00+00' },
    ...{ finished_at: at('05:22'), status: 'granted', cause: null, reservation_id: SECOND },
  })
  t.like(waiting, { status: 'waiting', finished_at: null, reservation_id: null })
  const outage = { sut_id: SUT, cause: 'timed_out' }
  t.deepEqual(await ask('*', 'outages'), [
    { ...outage, began_at: at('05:30'), ended_at: at('05:45') },
    { ...outage, began_at: at('08:20'), ended_at: at('08:30') },
  ])
  const refused = { counted_from: at('07:40'), counted_to: at('07:41'), sut_id: null }
  t.deepEqual(await ask('*', 'refusals'), [
    { ...refused, code: 'no_sut_free', user_id: bob, match: '{"os":"linux"}', count: '3' },
    { ...refused, code: null, user_id: null, match: null, count: '4' },
  ])
  t.like((await ask(`*, tags->>'site' AS site`, 'machines'))[0], {
    ...{ id: SUT, site: 'b12', monitoring: 'disabled', turnaround_seconds: 0, retired_at: at('08:30') },
  })
})

test('as of a position or a time they have what came before; names are there when they are given', async (t) => {
  const position = toPublicPosition(LOG.findIndex(([, event]) => event.type === 'ReservationReleased'))
  for (const to of [{ position }, { time: Date.parse('2030-05-02T07:00:00Z') }]) {
    const { ask, exported } = await tablesOf(t, [pageOf(write(LOG))], { to, names: new Map([[alice, 'alice']]) })
    t.is(exported.events, position)
    t.deepEqual(await ask('ended, user_name, strftime(end_time, \'%H:%M\') AS "end"', 'reservations'), [
      { ended: null, user_name: 'alice', end: '07:30' },
      { ended: 'cancelled', user_name: null, end: '09:00' },
    ])
    t.deepEqual(await ask('count(*) AS n', 'refusals'), [{ n: '0' }])
  }
})

test('a log that cannot be read leaves nothing behind', async (t) => {
  const directory = await aDirectory(t)
  await t.throwsAsync(tablesOf(t, [pageOf([{}])], { output: join(directory, 'tables') }))
  t.deepEqual(readdirSync(directory), [])
})

/** More than two groups of rows. */
const MANY = 45_000

test('thorough: a long table is written in groups of rows, none of which is lost', async (t) => {
  const log = write([...BEGINNING, made('05:20', 1, '06:00', '07:00')])
  const last = log.at(-1) as (typeof log)[number]
  const many = Array.from({ length: MANY }, (_, n) => ({
    ...last,
    revision: n,
    data: { ...(last.data as object), _id: idOf(n) },
  }))
  const { ask, groupsOf } = await tablesOf(t, [pageOf(log.slice(0, -1)), pageOf(many, log.length)])
  t.deepEqual(await ask(`count(*) AS n, count(DISTINCT id) AS ids, any_value(sut_id) AS sut`, 'reservations'), [
    { n: String(MANY), ids: String(MANY), sut: SUT },
  ])
  t.deepEqual(await groupsOf('reservations'), ['5000', '20000'])
})

test('"export --format parquet" makes a directory that only its user reads, with names only where they are asked for', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut))
  const folder = await aDirectory(t)
  const run = (...line: readonly string[]) =>
    type(['export', '--format', 'parquet', ...line], { BERTH_DATA: service.data })
  const [plain, named] = [join(folder, 'plain'), join(folder, 'named')]
  const { code, out } = await run('--output', plain, '--json')
  t.is(code, 0)
  t.like(JSON.parse(out), { format: 'parquet', first: 0, output: plain })
  t.is((await run('--output', named, '--names')).code, 0)
  t.is(statSync(plain).mode & 0o777, 0o700)
  const files = readdirSync(plain).sort()
  t.is(files.join(' '), Object.keys(TABLES).sort().join('.parquet ').concat('.parquet'))
  for (const file of files) t.is(statSync(join(plain, file)).mode & 0o777, 0o600)
  const ask = await openDuckDb(t)
  t.deepEqual(await ask(`SELECT user_id, user_name FROM '${named}/reservations.parquet'`), [
    { user_id: idOfUser('alice'), user_name: 'alice' },
  ])
  await t.throwsAsync(ask(`SELECT user_name FROM '${plain}/reservations.parquet'`), { message: /user_name/ })
  const { events } = JSON.parse(out) as { events: number }
  t.deepEqual(
    await ask(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${plain}/sessions.parquet')`,
    ),
    [
      { key: 'berth.origin', value: 'berth' },
      { key: 'berth.next', value: String(events) },
    ],
  )
  const wrong: readonly (readonly [line: readonly string[], error: RegExp])[] = [
    [[], /requires --output, a new directory/],
    [['--output', plain], /exists; tables need a new directory/],
    [['--output', join(folder, 'none', 'there')], /^berth: the directory .*none does not exist\n$/],
    [['--output', join(folder, 'x'), '--from', '3'], /takes no --from, no --type and no --sut/],
    [['--output', join(folder, 'x'), '--sut', sut], /takes no --from, no --type and no --sut/],
    [['--output', join(folder, 'x'), '--names', '--log', join(service.data, 'events.db')], /takes no --log/],
    [['--output', join(folder, 'x'), '--excel'], /--excel requires --format csv/],
  ]
  for (const [line, error] of wrong) {
    const ran = await run(...line)
    t.not(ran.code, 0)
    t.regex(ran.error, error)
  }
  t.regex((await type(['export', '--format', 'csv', '--names'])).error, /--names requires --format parquet/)
  t.false(existsSync(join(folder, 'x')))
  t.deepEqual(readdirSync(folder).sort(), ['named', 'plain'])
})
