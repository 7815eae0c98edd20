import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import fc from 'fast-check'
import { projections } from '../../projections/index.ts'
import type { Event } from '../../src/domain/event.ts'
import { sutIdOf } from '../../src/domain/event.ts'
import { formatMilliseconds } from '../../src/domain/values/instant.ts'
import { type PublicPosition, toPublicPosition } from '../../src/domain/values/position.ts'
import { openViewsFile } from '../../src/read-models/file/views-file.ts'
import { makeReads } from '../../src/read-models/lists/conditions.ts'
import type { ListPage, Lists, ReservationListQuery } from '../../src/read-models/lists/lists.ts'
import { makePast } from '../../src/read-models/lists/past.ts'
import { makeScopes } from '../../src/read-models/lists/scope.ts'
import { makePending } from '../../src/read-models/projector/pending.ts'
import { makeIdKeys } from '../../src/read-models/tables/id-keys.ts'
import { logged } from '../event-store/new-events.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'
import { explained } from '../read-models/lists/explained.ts'
import {
  aHistory,
  aName,
  aQuarter,
  aTag,
  aType,
  eventsOf,
  moment,
  recordedAs,
  sutIds,
  userIds,
} from '../read-models/lists/list-histories.ts'
import { FIRST, fill, sutId, userId } from '../read-models/lists/many-reservations.ts'
import { isThorough, rounds } from '../thorough.ts'

/** Positions between two events, enough to spread the rows over several segments and periods. */
const STRIDE = 700
const BEGAN = Date.parse('2029-12-31T00:00:00.000Z')

interface Timed {
  readonly event: Event
  readonly position: number
  readonly time: number
}

/** Each SUT has its own clock, off by up to nine minutes. */
const timed = (events: readonly Event[], skews: readonly number[]): readonly Timed[] =>
  events.map((event, n) => {
    const sut = String(sutIdOf(event))
    return { event, position: n * STRIDE, time: BEGAN + n * 60_000 + (skews[sutIds.indexOf(sut)] ?? 0) * 60_000 }
  })

/** The lists that result from these events. */
const listsOf = (events: readonly Timed[]): Lists => {
  const file = openViewsFile(':memory:', projections)
  const pending = makePending(projections, file)
  for (const { event, position, time } of events) {
    const recorded = recordedAs(event, position / STRIDE)
    const metadata = { ...recorded.metadata, time: formatMilliseconds(time) }
    pending.fold(logged({ ...recorded, metadata }), toPublicPosition(position))
    // Written in several pieces, as by the service.
    if (position % (3 * STRIDE) !== 0) continue
    file.stage(pending.takeUnstaged())
    file.settle()
  }
  file.stage(pending.takeUnstaged())
  file.settle()
  return file.lists
}

/** Assembles a page from its segments, as the service does. */
const reservationsThen = (
  { past }: Lists,
  { limit, offset, ...query }: ReservationListQuery,
  then: PublicPosition,
): ListPage => {
  const documents: string[] = []
  let count = 0
  for (const segment of past.segments(then)) {
    const part = { limit: limit - documents.length, offset: Math.max(0, offset - count) }
    const page = past.reservations({ ...query, ...part }, then, segment)
    documents.push(...page.documents)
    count += page.count
  }
  return { documents, count }
}

const aPart = fc.oneof(
  fc.record({ limit: fc.integer({ min: 1, max: 6 }), offset: fc.nat(6) }),
  fc.record({ limit: fc.constant(1000), offset: fc.constant(0) }),
  fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    offset: fc.constant(0),
    createdBefore: fc.nat(60).map((n) => toPublicPosition(n * STRIDE)),
  }),
)
const aReservationQuery = fc
  .tuple(
    aPart,
    fc.record(
      {
        sut_id: fc.constantFrom(...sutIds, 'none'),
        user_id: fc.constantFrom(...userIds),
        endsAfter: aQuarter.map(moment),
        startsBefore: aQuarter.map(moment),
        isHeld: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([part, filters]) => ({ ...part, ...filters }))
const aSutQuery = fc
  .tuple(
    aPart,
    fc.record(
      { sut_type: aType, is_active: fc.boolean(), name: aName, tags: aTag.map((tag) => Object.fromEntries([tag])) },
      { requiredKeys: [] },
    ),
  )
  .map(([part, filters]) => ({ ...part, ...filters }))
/** Long enough for several segments, and for an offset to leave something out. */
const aLongHistory = fc.array(aHistory, { minLength: 6, maxLength: 6 }).map((parts) => parts.flat())
const aSkew = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: sutIds.length, maxLength: sutIds.length })

const someQueries = fc.record({
  reservations: fc.array(aReservationQuery, { minLength: 3, maxLength: 3 }),
  suts: fc.array(aSutQuery, { minLength: 2, maxLength: 2 }),
})

test('thorough: lists as of every position equal the lists when the log ended there', (t) => {
  fc.assert(
    fc.property(aLongHistory, aSkew, someQueries, (steps, skews, { reservations, suts }) => {
      const events = timed(eventsOf(steps), skews)
      const now = listsOf(events)
      for (const [n, { position }] of events.entries()) {
        const then = listsOf(events.slice(0, n + 1))
        const at = toPublicPosition(position)
        for (const query of reservations) t.deepEqual(reservationsThen(now, query, at), then.reservations(query))
        for (const query of suts) t.deepEqual(now.past.suts(query, at), then.suts(query))
      }
    }),
    { numRuns: 7, endOnFailure: true },
  )
})

test('a time means the last event recorded by then, even out of log order', (t) => {
  let outOfOrder = 0
  fc.assert(
    fc.property(aLongHistory, aSkew, (steps, skews) => {
      const events = timed(eventsOf(steps), skews)
      const { past } = listsOf(events)
      for (const time of events.flatMap((event) => [event.time, event.time - 1])) {
        const last = events.findLast((event) => event.time <= time)
        if (events.some((event) => event.time > time && event.position < (last?.position ?? -1))) outOfOrder++
        t.is(past.positionAt(time), toPublicPosition(last?.position ?? -1))
      }
    }),
    { numRuns: rounds(1, 5), endOnFailure: true },
  )
  if (isThorough) t.true(outOfOrder > 0, 'some clocks were ahead of others')
})

const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY

const shapes: Readonly<Record<string, Partial<ReservationListQuery>>> = {
  all: {},
  'those of a SUT': { sut_ids: [sutId(7)] },
  'those of a user, after an entry': { user_id: userId(9), createdBefore: toPublicPosition(9_000) },
  'those on a day': { endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'those in progress': { endsAfter: MIDDLE, startsBefore: MIDDLE + 1, isHeld: true },
  'those of several SUTs': { sut_ids: [sutId(7), sutId(8), sutId(9)], endsAfter: MIDDLE },
  'those of a SUT until a day': { sut_ids: [sutId(7)], startsBefore: MIDDLE },
}

/** One segment at a time is read, through covering indexes. Times are looked up by position. */
const isFound = (line: string): boolean =>
  /^SEARCH r USING COVERING INDEX reservation_(?:by_sut|by_user|by_end|former) \(segment=\?/.test(line) ||
  /^(?:SEARCH|SCAN) r USING COVERING INDEX sut_(?:listed|former)/.test(line) ||
  /^SEARCH [dn] USING INTEGER PRIMARY KEY \(rowid=\?\)$/.test(line) ||
  /^SEARCH (?:reservation|sut) USING INDEX (?:reservation|sut)_by_id \(id=\? AND position<\?\)$/.test(line) ||
  /^SEARCH segment USING INTEGER PRIMARY KEY \(rowid<\?\)$/.test(line) ||
  /^(?:COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|MERGE \(UNION ALL\)|LEFT|RIGHT|SCAN (?:page|\(subquery-\d+\)))$/.test(
    line,
  ) ||
  /^(?:LIST SUBQUERY \d+|CREATE BLOOM FILTER|SCAN json_each VIRTUAL TABLE INDEX 1:)$/.test(line) ||
  /^CO-ROUTINE (?:page|\(subquery-\d+\))$|^MATERIALIZE |^CORRELATED SCALAR SUBQUERY \d+$/.test(line) ||
  /^USE TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY$/.test(line)

test('thorough: with 20,000 reservations every list as of the past uses an index, one segment at a time', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  fill(path, { reservations: 20_000, suts: 100, users: 50 }).file.close()
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  const { run, lines } = explained(db)
  const past = makePast(db, makeReads(db, run), makeIdKeys(db), makeScopes(db))
  const notFound = (): readonly string[] => lines.splice(0).filter((line) => !isFound(line))
  run('SELECT count(*) FROM reservation r WHERE starts > 5')
  t.deepEqual(notFound(), ['SCAN r'])
  const then = toPublicPosition(12_345)
  for (const [name, shape] of Object.entries(shapes)) {
    for (const segment of past.segments(then)) past.reservations({ limit: 100, offset: 0, ...shape }, then, segment)
    t.true(lines.length > 0, name)
    t.deepEqual(notFound(), [], name)
  }
  past.suts({ limit: 100, offset: 0, name: 'machine 1', createdBefore: toPublicPosition(50) }, then)
  t.deepEqual(notFound(), [])
})
