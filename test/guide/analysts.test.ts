/** The queries of the chapter for analysts, held against the service's own figures. */

import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import { writeTables } from '../../src/archive/tables/write-tables.ts'
import type { Recorded } from '../../src/domain/event.ts'
import type { Scope } from '../../src/domain/user/scope.ts'
import { canonicalJson } from '../../src/domain/values/canonical-json.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { StoredRecord } from '../../src/event-store/event-store.ts'
import { openDuckDb } from '../archive/duckdb.ts'
import { type } from '../command-line/terminal.ts'
import { type Tidying, temporaryData, withScope } from '../http/harness.ts'
import { lab } from '../http/lab.ts'
import { filled } from '../read-models/fill.ts'
import { aPast, eventsOf, MINUTE, MINUTES, type Row, rowsOf, sutId, userId } from '../read-models/reports/story.ts'
import { rounds } from '../thorough.ts'
import { chapter } from './documents.ts'

const ZONE = 'Europe/Berlin'

const sqlOf = (title: string): string => {
  const block = chapter('analysts.md').blocks.find(
    ({ info, code }) => info === 'sql' && code.startsWith(`-- ${title}\n`),
  )
  if (block === undefined) throw new Error(`the chapter has no query "${title}"`)
  return block.code
}

async function* recordsOf(events: readonly Recorded[]): AsyncGenerator<readonly StoredRecord[]> {
  yield events.map(({ storePosition: _, ...event }, n) => ({
    text: canonicalJson({ ...event, id: `00000000-0000-7000-8000-${`${n}`.padStart(12, '0')}` }),
    storePosition: toStorePosition(n),
  }))
}

/** The chapter's tables of these events, as of a time in Unix milliseconds, and its queries by their titles. */
const analysisOf = async (t: Tidying, events: readonly Recorded[], now: number, forwarded?: Scope | null) => {
  const output = join(await temporaryData(t), 'tables')
  const options = { origin: 'lab', to: undefined, output, names: undefined, onProgress: () => undefined }
  await writeTables(recordsOf(events), options, { events: 0, first: null, last: null })
  return chapterOn(t, output, now, forwarded)
}

/** The chapter's queries of tables in a directory. */
const chapterOn = async (t: Tidying, output: string, now: number, forwarded: Scope | null = {}) => {
  const ask = await openDuckDb(t)
  const setting = sqlOf('the tables').replaceAll("'tables/", `'${output}/`)
  await ask(
    setting
      .replace("'{}'", forwarded === null ? 'NULL' : `'${JSON.stringify(forwarded)}'`)
      .replace('now()', `TIMESTAMPTZ '${new Date(now).toISOString()}'`),
  )
  return (title: string) => ask(sqlOf(title))
}

/** Unix milliseconds of a time as DuckDB writes it. */
const moment = (time: string): number => Date.parse(time.replace(' ', 'T').replace(/\+00$/, 'Z'))

test('hours by week and what was never used are those of the report on usage, in any past', async (t) => {
  const pasts = aPast(['2030-03-30T00:00:00Z', '2030-10-26T00:00:00Z'])
  const forwardings = fc.constantFrom(null, {}, { rack: '4' })
  await fc.assert(
    fc.asyncProperty(pasts, fc.nat(MINUTES), forwardings, async (past, minute, forwarded) =>
      withScope(async (scope) => {
        const events = eventsOf(past)
        const now = past.base + minute * MINUTE
        const ask = await analysisOf(scope, events, now, forwarded)
        const { lists } = filled(events)
        const span = { from: past.base - 86_400_000, to: now, timeZone: ZONE, now, rowsMax: 100_000 }
        const ofForwarded = forwarded === null ? {} : { forwarded }
        const usage = (by: 'sut' | 'user', bucket: 'week' | 'none', to = now) =>
          rowsOf(lists.usageReport({ ...span, ...ofForwarded, by, bucket, to }))
        t.deepEqual(
          (await ask('hours by machine and week'))
            .map(({ week, name, hours: held }) => `${moment(String(week))} ${name} ${Number(held).toFixed(3)}`)
            .sort(),
          usage('sut', 'week')
            .filter(({ held_seconds }) => held_seconds)
            .map(({ bucket, key, held_seconds }) => {
              const name = `bench ${[0, 1, 2].find((n) => sutId(n) === key)}`
              return `${Date.parse(String(bucket))} ${name} ${(Number(held_seconds) / 3_600).toFixed(3)}`
            })
            .sort(),
        )
        t.deepEqual(
          (await ask('booked and never used')).map(({ user_id, unused }) => `${user_id} ${unused}`).sort(),
          usage('user', 'none', past.base + 100 * 86_400_000)
            .filter(({ unused_reservations }) => Number(unused_reservations) > 0)
            .map(({ key, unused_reservations }) => `${key} ${unused_reservations}`)
            .sort(),
        )
      }),
    ),
    { numRuns: rounds(3, 40) },
  )
})

const BASE = Date.parse('2030-10-26T12:00:00Z')
const [SUT, SECOND] = [sutId(0), sutId(1)]

const held = (user: number, created: number, start: number, end: number) => ({
  ...{ sut: 0, user, created, start, end, sessions: [] },
})
const refused = (user: number, count: number, code = 'reservation_conflict') => ({ user, count, code })
const went = (how: 'Online' | 'Offline') => ({
  type: `SutWent${how}`,
  data: { _id: SUT, ...(how === 'Offline' && { cause: 'refused' }) },
})

const LOG = eventsOf(
  {
    base: BASE,
    reservations: [held(0, 0, 60, 120), held(1, 1, 150, 200)],
    asked: [
      { user: 2, at: 5, end: { type: 'RequestExpired', after: 135 } },
      { user: 0, at: 15, end: { type: 'RequestWithdrawn', after: 5 } },
      { user: 2, at: 75 },
    ],
    refused: [
      { at: 30, entries: [refused(2, 3), refused(1, 1)], others: 0 },
      { at: 130, entries: [refused(2, 2), refused(0, 4, 'no_sut_free')], others: 0 },
    ],
  },
  [
    [-8, { type: 'SutMonitoringEnabled', data: { _id: SUT, interval: 60 } }],
    ...[40, 90, 150].map((minute) => [minute, went('Offline')] as const),
    ...[70, 100].map((minute) => [minute, went('Online')] as const),
  ],
)
const NOW = BASE + 180 * MINUTE

test('a machine that nobody ever connected to counts as never used where it is forwarded', async (t) => {
  const log = eventsOf({ base: BASE, reservations: [held(0, 0, 60, 120)], tags: [{ sut: 0, at: 0, rack: '4' }] })
  const { lists } = filled(log)
  const span = { from: BASE, to: NOW, timeZone: ZONE, now: NOW, rowsMax: 100, by: 'user', bucket: 'none' } as const
  const counts = async (forwarded: Scope | null) => {
    const [row] = rowsOf(lists.usageReport({ ...span, ...(forwarded && { forwarded }) }))
    const ask = await analysisOf(t, log, NOW, forwarded)
    return [row?.unused_reservations, (await ask('booked and never used')).length]
  }
  for (const forwarded of [{}, { rack: '4' }]) t.deepEqual(await counts(forwarded), [1, 1])
  for (const forwarded of [{ rack: '5' }, null]) t.deepEqual(await counts(forwarded), [null, 0])
})

test('waiting by the hour and collisions are those of the report on demand, repairs those of the outages', async (t) => {
  const ask = await analysisOf(t, LOG, NOW)
  const { lists } = filled(LOG)
  const span = { from: BASE - 86_400_000, to: NOW, timeZone: ZONE, now: NOW, rowsMax: 100 }
  const demand = (by: 'user' | 'none', bucket: 'hour' | 'none') =>
    rowsOf(lists.demandReport({ ...span, by, bucket, reader: '' }))
  t.deepEqual(
    (await ask('waiting by hour of the day')).map(({ hour, requests, minutes }) =>
      [hour, requests, minutes].map(Number),
    ),
    demand('none', 'hour')
      .filter(({ requests }) => requests)
      .map(({ bucket, requests, waited_seconds }) => [
        ...[Number(String(bucket).slice(11, 13)), Number(requests), Number(waited_seconds) / 60],
      ]),
  )
  const collisions = await ask('who collides with whom')
  t.deepEqual(collisions, [
    { refused: userId(2), holder: userId(0), times: 3 },
    { refused: userId(2), holder: userId(1), times: 2 },
    { refused: userId(1), holder: userId(0), times: 1 },
  ])
  const sums = Map.groupBy(collisions, ({ refused: user }) => String(user))
  t.deepEqual(
    [...sums].map(([user, rows]) => `${user} ${rows.reduce((sum, { times }) => sum + Number(times), 0)}`).sort(),
    demand('user', 'none')
      .filter(({ reservation_conflict }) => reservation_conflict)
      .map(({ key, reservation_conflict }) => `${key} ${reservation_conflict}`)
      .sort(),
  )
  const [of] = lists.outages({ sut_ids: [SUT, SECOND], from: BASE, to: NOW, max: 99 }) ?? []
  const repaired = (of?.outages ?? []).flatMap(({ from, to }) => (to === null ? [] : [(to - from) / MINUTE]))
  t.deepEqual(await ask('time between failure and repair'), [
    {
      ...{ name: 'bench 0', outages: String(repaired.length), longest: Math.max(...repaired) },
      minutes_to_repair: repaired.reduce((sum, one) => sum + one, 0) / repaired.length,
    },
  ])
})

test('what the service answers to GET /api/report is what the queries find in its export', async (t) => {
  const { sut, data, ask: send, book, clock: time } = await lab(t)
  await book('alice', '06:00-08:00')
  await book('bob', '09:00-10:00')
  await book('bob', '07:00-07:30')
  await send('bob', 'POST /api/sut_request/create', { sut_id: sut, duration: 604_800 })
  time.set('2030-05-02T09:30:00Z')
  const output = join(data, 'tables')
  t.is((await type(['export', '--format', 'parquet', '--output', output], { BERTH_DATA: data })).code, 0)
  const ask = await chapterOn(t, output, time.now())
  const span = 'from=2030-05-01T00:00:00Z&to=2030-05-03T00:00:00Z&time_zone=Europe/Berlin'
  const report = async (path: string) =>
    ((await send('audrey', `GET /api/report/${path}&${span}`)).json.rows as readonly Row[])[0]
  const [held] = await ask('hours by machine and week')
  t.deepEqual([held?.name, held?.hours], ['bench 4', 2.5])
  t.is(Number((await report('usage?by=sut&bucket=week'))?.held_seconds), 2.5 * 3_600)
  const [waited] = await ask('waiting by hour of the day')
  t.is(Number((await report('demand?by=none'))?.waited_seconds), Math.floor(Number(waited?.minutes) * 60))
})
