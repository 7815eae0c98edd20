/** No list scans a table that grows: each is read through an index that leaves out what is over, or knows what is asked. */

import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { type Lists, openLists } from '../../../src/read-models/lists/lists.ts'
import type { ReservationListQuery } from '../../../src/read-models/lists/reservations.ts'
import { SCHEMA } from '../../../src/read-models/tables/schema.ts'

const PART = { limit: 100, offset: 0 }
const [SUT, OTHER, USER] = ['sut 1', 'sut 2', 'user 1']
const POSITION = toPublicPosition(50_000)
const [FROM, TO] = [1_900_000_000, 1_900_086_400]
const VISIBILITY = { scope: { rack: '4', team: 'qa' }, user_id: USER }

const RESERVATIONS: readonly Partial<ReservationListQuery>[] = [
  {},
  { createdBefore: POSITION, withDetails: true },
  { withCancelled: true },
  { sut_ids: [SUT] },
  { sut_ids: [SUT, OTHER], createdBefore: POSITION },
  { user_id: USER },
  { user_id: USER, sut_ids: [SUT] },
  { endsAfter: FROM, startsBefore: TO },
  { endsAfter: FROM },
  { startsBefore: TO },
  { endsAfter: FROM, startsBefore: TO, isHeld: true, heldBefore: TO * 1000 },
  { sut_ids: [SUT, OTHER], endsAfter: FROM, startsBefore: TO },
  { user_id: USER, endsAfter: FROM },
]

/** All that lists are asked. */
const askAll = (lists: Lists): void => {
  for (const query of RESERVATIONS) {
    lists.reservations({ ...PART, ...query })
    lists.reservations({ ...PART, ...query, visibility: VISIBILITY })
    lists.reservations({ ...PART, ...query, asOf: POSITION })
  }
  for (const query of [{}, { sut_ids: [SUT] }, { user_id: USER }, { visibility: VISIBILITY }])
    lists.series({ ...PART, ...query })
  for (const query of [
    {},
    { createdBefore: POSITION },
    { sut_type: 'vnc', is_active: true, name: 'x', tags: { rack: '4' } },
    { retired: true },
    { free: { start: FROM, end: TO }, scope: VISIBILITY.scope },
    { monitoring: 'online' as const, withSettings: true },
  ]) {
    lists.suts({ ...PART, ...query })
    lists.suts({ ...PART, ...query, asOf: POSITION })
  }
  for (const one of [{}, { sut_id: SUT }, { user_id: USER }, { reservation_id: 'a' }, { isOpen: true }])
    for (const span of [{}, { createdBefore: POSITION }, { closesAfter: FROM, opensBefore: TO }])
      lists.sessions({ ...PART, ...one, ...span })
  for (const query of [
    {},
    { status: 'waiting' as const },
    { user_id: USER },
    { sut: { _id: SUT, isSeen: true } },
    { visibility: VISIBILITY },
  ])
    lists.sutRequests({ ...PART, ...query })
  lists.outages({ sut_ids: [SUT], scope: VISIBILITY.scope, from: FROM, to: TO, max: 10 })
  for (const kind of ['sut', 'reservation', 'user'] as const)
    lists.history({ ...PART, of: kind, id: SUT, from: FROM, to: TO, after: POSITION })
  lists.sutsToMatch(FROM, 10)
  lists.sutStates()
  const suts = { tags: { rack: '4' }, scope: VISIBILITY.scope }
  for (const one of [{}, { sut_id: SUT }, { user_id: USER }, { suts }])
    for (const visibility of [undefined, VISIBILITY])
      lists.calendar({ ...one, visibility, since: FROM, now: TO, limit: 100 })
  lists.heldBy([SUT], { start: FROM, end: TO })
  lists.heldBy([SUT, OTHER], { start: FROM, end: TO })
  lists.seriesReservations('a')
  lists.holders(VISIBILITY.scope)
  lists.upcoming({ from: FROM, to: TO, after: POSITION, limit: 10 })
  lists.unrecorded({ from: FROM, to: TO })
  lists.endedSince(USER, POSITION)
  lists.usage({ user_id: USER, now: FROM })
  lists.used([USER], FROM)
  lists.positionAt(FROM)
  lists.timeAt(POSITION)
  lists.versionAt('sut', SUT, POSITION)
  const report = { from: FROM * 1000, to: TO * 1000, now: TO * 1000, timeZone: 'UTC', rowsMax: 10 } as const
  for (const by of ['sut', { tag: 'rack' }] as const) lists.usageReport({ ...report, by, bucket: 'day' })
  lists.demandReport({ ...report, by: 'user', bucket: 'day', scope: VISIBILITY.scope, reader: USER })
}

/** Steps of plans that look at every row of a table, or sort rows into an index of their own first. */
const scans = (db: DatabaseSync, sql: string): readonly string[] =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter(
      (step) =>
        /^SCAN|AUTOMATIC/.test(step) && !/^SCAN (?:page|json_each|pragma_data_version|\(subquery|t$)/.test(step),
    )
    // Without a filter all that is current is counted, or looked at in the order of creation, from the newest on.
    .filter(
      (step) =>
        !/^SCAN \w+ USING (?:COVERING )?INDEX \w+_(?:current|open|with_turnaround|by_(?:end|reservation))/.test(step),
    )

test('no list scans a table that grows', (t) => {
  const db = new DatabaseSync(':memory:')
  t.teardown(() => db.close())
  db.exec(SCHEMA)
  t.deepEqual(scans(db, 'SELECT count(*) FROM reservation WHERE starts > 5').length, 1)
  const asked = new Set<string>()
  const prepare = (sql: string) => {
    asked.add(sql)
    return db.prepare(sql)
  }
  askAll(openLists({ prepare } as DatabaseSync))
  t.true(asked.size > 100)
  for (const sql of asked) t.deepEqual(scans(db, sql), [], sql)
})

/** Which index a list of reservations must be read through, by its filters. */
const INDEXES: readonly (readonly [query: Partial<ReservationListQuery>, index: string])[] = [
  [{ sut_ids: [SUT] }, 'by_sut'],
  [{ sut_ids: [SUT, OTHER], endsAfter: FROM, startsBefore: TO }, 'by_sut'],
  [{ user_id: USER }, 'by_user'],
  [{ user_id: USER, endsAfter: FROM }, 'by_user'],
  [{ endsAfter: FROM, startsBefore: TO }, 'by_end'],
  [{ endsAfter: FROM, isHeld: true }, 'by_end'],
]

test('a list of reservations is read and counted through the index of what is asked for', (t) => {
  const db = new DatabaseSync(':memory:')
  t.teardown(() => db.close())
  db.exec(SCHEMA)
  for (const [query, index] of INDEXES) {
    const asked: string[] = []
    const prepare = (sql: string) => {
      asked.push(sql)
      return db.prepare(sql)
    }
    const lists = openLists({ prepare } as DatabaseSync)
    asked.length = 0
    lists.reservations({ ...PART, offset: 1, ...query })
    const plans = asked.map((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join(),
    )
    t.is(plans.length, 3)
    // The third reads the rows of the page.
    for (const plan of plans.slice(0, 2))
      t.true(plan.includes(`reservation USING COVERING INDEX reservation_${index}`), plan)
  }
})
