import test from 'ava'
import fc from 'fast-check'
import { BUCKET_SIZES } from '../../../src/domain/calendar/buckets.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import type { ReportColumns } from '../../../src/read-models/reports/cells.ts'
import type { DemandReportQuery } from '../../../src/read-models/reports/demand.ts'
import { idOf, metadata, SUT_ID, sutCreated } from '../../domain/builders.ts'
import { rounds } from '../../thorough.ts'
import { filled } from '../fill.ts'
import { bucketFace, faceOfName } from './clock-face.ts'
import { userId } from './story.ts'

/** Reports of demand against a model that goes through a random past once for each row. */

const MINUTE = 60_000
const BASE = Date.parse('2030-10-26T12:00:00Z')
const MINUTES = 2 * 1_440
const CODES = ['no_sut_free', 'reservation_conflict', 'quota_exceeded'] as const

interface Asked {
  readonly user: number
  readonly at: number
  /** Waits unless it ends, so many minutes later. */
  readonly end?:
    | { readonly type: 'RequestGranted' | 'RequestExpired' | 'RequestWithdrawn'; readonly after: number }
    | undefined
}
interface Refused {
  readonly at: number
  readonly entries: readonly { readonly user: number; readonly code: string; readonly count: number }[]
  readonly others: number
}
interface Past {
  readonly asked: readonly Asked[]
  readonly refused: readonly Refused[]
}

const at = (minute: number): string => formatMilliseconds(BASE + minute * MINUTE)

const eventsOf = ({ asked, refused }: Past): readonly Recorded[] => {
  const happened: [number, Event][] = [[-9, sutCreated()]]
  for (const [n, { user, at: made, end }] of asked.entries()) {
    const request = { _id: idOf(5_000 + n), user_id: userId(user) }
    const more = { duration: 900, priority: 0, expires_at: at(made + 9_000), sut_id: SUT_ID }
    happened.push([made, { type: 'ReservationRequested', data: { ...request, ...more } } as Event])
    if (end === undefined) continue
    const granted = { sut_id: SUT_ID, sut_reservation_id: idOf(9_000 + n) }
    const data = end.type === 'RequestGranted' ? { ...request, ...granted } : request
    happened.push([made + end.after, { type: end.type, data } as Event])
  }
  for (const { at: from, entries, others } of refused) {
    const refusals = entries.map(({ user, code, count }) => ({ user_id: userId(user), code, count, sut_id: SUT_ID }))
    const data = { from: at(from), to: at(from + 1), refusals, ...(others > 0 && { others }) }
    happened.push([from + 1, { type: 'RefusalsCounted', data } as Event])
  }
  return happened
    .toSorted(([a], [b]) => a - b)
    .map(([minute, event], n) => {
      const common = { id: `event ${n}`, stream: 'story', revision: n, storePosition: n }
      return { ...common, ...event, metadata: metadata(at(minute)) } as Recorded
    })
}

type Rows = Readonly<Record<string, object>>

const rowsOf = ({ buckets, keys, figures, codes = [], rows }: ReportColumns, { bucket }: DemandReportQuery): Rows => {
  const names = [...figures, ...codes]
  const all: Record<string, object> = {}
  for (let place = 0; place < rows.length; place += names.length + 2) {
    const values = names.map((name, n) => [name, rows[place + 2 + n]] as const).filter(([, value]) => value !== 0)
    const where = `${faceOfName(buckets[rows[place] ?? -1] ?? null, bucket)} ${keys[rows[place + 1] ?? -1]}`
    all[where] = Object.fromEntries(values)
  }
  return all
}

const model = ({ asked, refused }: Past, { from, to, by, bucket, timeZone, user_id }: DemandReportQuery): Rows => {
  const isIn = (minute: number): boolean => BASE + minute * MINUTE >= from && BASE + minute * MINUTE < to
  const place = (minute: number, user: number | null): string =>
    `${bucketFace(BASE + minute * MINUTE, bucket, timeZone)} ${by === 'none' || user === null ? null : userId(user)}`
  const isWanted = (user: number | null): boolean =>
    user_id === undefined || (user !== null && userId(user) === user_id)
  const requests = asked.filter((one) => isIn(one.at) && isWanted(one.user))
  const counts = refused
    .filter((one) => isIn(one.at))
    .flatMap(({ at: minute, entries, others }) => [
      ...entries.map((entry) => ({ minute, ...entry })),
      ...(others > 0 ? [{ minute, user: null, code: 'others', count: others }] : []),
    ])
    .filter(({ user }) => isWanted(user))
  const places = new Set([
    ...requests.map((one) => place(one.at, one.user)),
    ...counts.map((one) => place(one.minute, one.user)),
  ])
  const rowAt = (where: string): object => {
    const own = requests.filter((one) => place(one.at, one.user) === where)
    const ended = (type: string): number => own.filter(({ end }) => end?.type === type).length
    const waits = own.map(({ at: made, end }) => (end?.after ?? (to - BASE) / MINUTE - made) * 60)
    const refusals = counts.filter((one) => place(one.minute, one.user) === where)
    const codes = Object.groupBy(refusals, ({ code }) => code)
    const all = {
      ...{ requests: own.length, granted: ended('RequestGranted'), expired: ended('RequestExpired') },
      withdrawn: ended('RequestWithdrawn'),
      ...{ waited_seconds: waits.reduce((sum, wait) => sum + wait, 0), waited_longest_seconds: Math.max(0, ...waits) },
      ...Object.fromEntries(
        Object.entries(codes).map(([code, some = []]) => [code, some.reduce((sum, { count }) => sum + count, 0)]),
      ),
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0))
  }
  return Object.fromEntries([...places].map((where) => [where, rowAt(where)]))
}

const minute = fc.integer({ min: 0, max: MINUTES })
const user = fc.integer({ min: 0, max: 2 })
const anEnd = fc.record({
  type: fc.constantFrom('RequestGranted' as const, 'RequestExpired' as const, 'RequestWithdrawn' as const),
  after: fc.integer({ min: 0, max: 600 }),
})
const aPast = fc.record({
  asked: fc.array(fc.record({ user, at: minute, end: fc.option(anEnd, { nil: undefined }) }), { maxLength: 20 }),
  refused: fc.array(
    fc.record({
      at: minute,
      entries: fc.array(fc.record({ user, code: fc.constantFrom(...CODES), count: fc.integer({ min: 1, max: 9 }) }), {
        maxLength: 3,
      }),
      others: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 8 },
  ),
})

const queryOf = (more: Partial<DemandReportQuery> = {}): DemandReportQuery => ({
  ...{ from: BASE, to: BASE + MINUTES * MINUTE, now: BASE + MINUTES * MINUTE, by: 'none', bucket: 'none' },
  ...{ timeZone: 'UTC', rowsMax: 100_000, reader: userId(1), ...more },
})

const found = (past: Past, query: DemandReportQuery): Rows | undefined => {
  const file = filled(eventsOf(past).filter(({ metadata: { time } }) => Date.parse(time) <= query.now))
  try {
    const report = file.lists.demandReport(query)
    return report && rowsOf(report, query)
  } finally {
    file.close()
  }
}

const aQuery = fc.record({
  from: fc.integer({ min: -60, max: MINUTES - 1 }),
  length: fc.integer({ min: 60, max: MINUTES }),
  bucket: fc.constantFrom(...BUCKET_SIZES),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
  by: fc.constantFrom('user' as const, 'none' as const),
  isMine: fc.boolean(),
})

/** What is known at a minute. */
const asOf = ({ asked, refused }: Past, now: number): Past => ({
  asked: asked
    .filter((one) => one.at <= now)
    .map(({ end, ...one }) => ({ ...one, end: end && one.at + end.after <= now ? end : undefined })),
  refused: refused.filter((one) => one.at + 1 <= now),
})

test('property: what is reported of demand is what a count of every request and refusal gives', (t) => {
  fc.assert(
    fc.property(aPast, aQuery, (past, { from, length, bucket, timeZone, by, isMine }) => {
      const to = BASE + (from + length) * MINUTE
      const mine = isMine ? { user_id: userId(1) } : {}
      const query = queryOf({ from: BASE + from * MINUTE, to, now: to, bucket, timeZone, by, ...mine })
      t.deepEqual(found(past, query), model(asOf(past, from + length), query))
    }),
    { numRuns: rounds(30, 600) },
  )
})

const PAST: Past = {
  asked: [
    { user: 0, at: 10, end: { type: 'RequestGranted', after: 5 } },
    { user: 1, at: 20, end: undefined },
  ],
  refused: [{ at: 30, entries: [{ user: 0, code: 'no_sut_free', count: 2 }], others: 4 }],
}

test('what still waits has waited until now, and refusals counted without their code are others', (t) => {
  t.deepEqual(found(PAST, queryOf({ to: BASE + 60 * MINUTE, now: BASE + 60 * MINUTE })), {
    'all null': {
      ...{ requests: 2, granted: 1, waited_seconds: 45 * 60, waited_longest_seconds: 40 * 60 },
      ...{ no_sut_free: 2, others: 4 },
    },
  })
})

test('in a scope there are the own requests, and those for machines in it', (t) => {
  const outside = queryOf({ to: BASE + 60 * MINUTE, now: BASE + 60 * MINUTE, scope: { rack: '4' } })
  t.deepEqual(found(PAST, outside), {
    'all null': { requests: 1, waited_seconds: 2_400, waited_longest_seconds: 2_400 },
  })
  const inside = found(PAST, { ...outside, scope: {} })
  t.deepEqual(Object.keys(inside?.['all null'] ?? {}).includes('others'), false, 'of whom nothing is known')
})

test('a report of demand has as many rows as it may, or none', (t) => {
  t.is(found(PAST, queryOf({ by: 'user', rowsMax: 2 })), undefined)
  t.is(Object.keys(found(PAST, queryOf({ by: 'user', rowsMax: 3 })) ?? {}).length, 3)
})
