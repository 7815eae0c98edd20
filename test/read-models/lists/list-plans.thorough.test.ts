import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { makeRunQuery, type RunQuery } from '../../../src/files/sqlite.ts'
import { makeReads } from '../../../src/read-models/lists/conditions.ts'
import type { ListPage, Lists, ReservationListQuery, SutListQuery } from '../../../src/read-models/lists/lists.ts'
import { makeHeldBy, makeReservationList } from '../../../src/read-models/lists/reservation-list.ts'
import { makeScopes } from '../../../src/read-models/lists/scope.ts'
import { makeSutList } from '../../../src/read-models/lists/sut-list.ts'
import { makeIdKeys } from '../../../src/read-models/tables/id-keys.ts'
import { aDirectory } from '../../event-store/sqlite/subject.ts'
import { FIRST, fill, makeNumbers, sutId, userId } from './many-reservations.ts'

const SCALE = { reservations: 100_000, suts: 500, users: 200 }
const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY
const PART = { limit: 100, offset: 0 }

const MANY = Array.from({ length: 100 }, (_, n) => sutId(n))

/** Every kind of list query, with narrow and wide spans, and users with few and many reservations. */
const shapes: Readonly<Record<string, Partial<ReservationListQuery>>> = {
  all: {},
  'all, after an entry': { createdBefore: toPublicPosition(50_000) },
  'all, with details': { withDetails: true },
  'all, and cancelled ones': { withCancelled: true },
  'all, and cancelled ones, after an entry': { withCancelled: true, createdBefore: toPublicPosition(50_000) },
  'those of a user, and cancelled ones': { user_id: userId(9), withCancelled: true },
  'those on a day, and cancelled ones': { endsAfter: MIDDLE, startsBefore: MIDDLE + DAY, withCancelled: true },
  'those of a SUT': { sut_ids: [sutId(7)] },
  'those of a SUT, after an entry': { sut_ids: [sutId(7)], createdBefore: toPublicPosition(50_000) },
  'those of SUTs, two of which are one': { sut_ids: [sutId(7), sutId(8), sutId(7)] },
  'those of a hundred SUTs, after an entry': { sut_ids: MANY, createdBefore: toPublicPosition(50_000) },
  'those of a hundred SUTs on a day': { sut_ids: MANY, endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'those of a hundred SUTs from a day on': { sut_ids: MANY, endsAfter: MIDDLE },
  'those of SUTs and a user until a day': { sut_ids: MANY, user_id: userId(0), startsBefore: MIDDLE },
  'those of a user': { user_id: userId(9) },
  'those of a user who made half of all': { user_id: userId(0) },
  'those of a user and a SUT': { user_id: userId(0), sut_ids: [sutId(7)] },
  'those on a day': { endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'those in half a year': { endsAfter: FIRST + 30 * DAY, startsBefore: MIDDLE + 30 * DAY + 1 },
  'those from a day on': { endsAfter: MIDDLE + 450 },
  'those until a day': { startsBefore: MIDDLE - 1 },
  'those from the last day on': { endsAfter: FIRST + 366 * DAY },
  'those in progress': { endsAfter: MIDDLE, startsBefore: MIDDLE + 1, isHeld: true },
  'those of a SUT on a day': { sut_ids: [sutId(7)], endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  'those of a user from a day on': { user_id: userId(0), endsAfter: MIDDLE },
  'those of a user until the last day': { user_id: userId(0), startsBefore: FIRST + 366 * DAY },
  'those of a user within a long span': {
    user_id: userId(0),
    endsAfter: FIRST + 5 * DAY,
    startsBefore: FIRST + 370 * DAY,
  },
  'those of a user and a SUT until a day, after an entry': {
    user_id: userId(0),
    sut_ids: [sutId(7)],
    startsBefore: MIDDLE,
    createdBefore: toPublicPosition(50_000),
  },
}

interface Setting {
  readonly db: DatabaseSync
  /** The plan lines of every statement since the last call. */
  readonly plans: () => readonly string[]
  readonly reservations: (query: ReservationListQuery) => ListPage
  readonly suts: (query: SutListQuery) => ListPage
  readonly heldBy: Lists['heldBy']
}

const setting = async (t: ExecutionContext): Promise<Setting> => {
  const path = join(await aDirectory(t), 'views.db')
  fill(path, SCALE).file.close()
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  db.exec(COPY)
  const ask = makeRunQuery(db)
  const lines: string[] = []
  const explained: RunQuery = <A>(sql: string, ...values: readonly SQLInputValue[]) => {
    lines.push(...planOf(db, sql, values))
    return ask<A>(sql, ...values)
  }
  const names = makeIdKeys(db)
  return {
    db,
    plans: () => lines.splice(0),
    reservations: makeReservationList(makeReads(db, explained), names, makeScopes(db)),
    suts: makeSutList(makeReads(db, explained)),
    heldBy: makeHeldBy(explained, names),
  }
}

const planOf = (db: DatabaseSync, sql: string, values: readonly SQLInputValue[] = []): readonly string[] =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map(({ detail }) => String(detail))

/** Whether a plan line reads through an index. Only segments and the resulting page may be scanned. */
const isFound = (line: string): boolean =>
  /^(?:SCAN (?:s|page)$|SEARCH s USING INTEGER PRIMARY KEY|SEARCH (?:d|name) USING INTEGER PRIMARY KEY|CO-ROUTINE page$|(?:LIST|CORRELATED SCALAR) SUBQUERY \d+$|CREATE BLOOM FILTER$|SCAN json_each VIRTUAL TABLE INDEX 1:$)/.test(
    line,
  ) ||
  /^SEARCH r USING COVERING INDEX reservation_by_(?:sut|user|end) \(segment=\? AND (?:sut=|user=|ends[<>])/.test(
    line,
  ) ||
  // Without a filter, or with one on the start alone, all entries of a segment are read; of cancelled ones, also those
  // that a filter leaves out.
  /^SEARCH r USING COVERING INDEX reservation_(?:by_sut|by_end|cancelled) \(segment=\?(?: AND user=\?)?\)$/.test(
    line,
  ) ||
  /^(?:MERGE \(UNION ALL\)|LEFT|RIGHT)$/.test(line) ||
  // The order of creation is an index too, read from its newest end.
  /^(?:SCAN|SEARCH) (?:r USING INDEX reservation_listed|sut USING COVERING INDEX sut_(?:listed|retired))/.test(line) ||
  /^SEARCH (?:f USING INDEX reservation_by_id \(id=\? AND position<\?\)|[sm] USING INDEX (?:sut|series_member)_by_id \(id=\?\))$/.test(
    line,
  ) ||
  /^SEARCH (?:sut_display|t) USING COVERING INDEX turnaround_(?:longest \(turnaround>\?\)|by_sut \(id=\?)/.test(line) ||
  /^(?:SEARCH n USING INTEGER PRIMARY KEY|CORRELATED SCALAR SUBQUERY)/.test(line) ||
  /^USE TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY$/.test(line)

const notFound = (lines: readonly string[]): readonly string[] => lines.filter((line) => !isFound(line))

/** The values in the documents, without an index. */
const COPY = `CREATE TEMP TABLE copy AS
  SELECT document ->> 'sut_id' AS sut_id, document ->> 'user_id' AS user_id, starts, ends FROM reservation NOT INDEXED`

/** The count from reading every row of the copy. */
const countedOneByOne = (db: DatabaseSync, query: Partial<ReservationListQuery>): number => {
  const all = query.sut_ids && JSON.stringify(query.sut_ids)
  const conditions: readonly (readonly [string, SQLInputValue | undefined])[] = [
    ['sut_id IN (SELECT value FROM json_each(?))', all],
    ['user_id = ?', query.user_id],
    ['ends > ?', query.endsAfter],
    ['starts < ?', query.startsBefore],
  ]
  const given = conditions.filter((one): one is readonly [string, SQLInputValue] => one[1] !== undefined)
  const sql = ['SELECT count(*) AS n FROM copy WHERE true', ...given.map(([condition]) => condition)]
  return (db.prepare(sql.join(' AND ')).get(...given.map(([, value]) => value)) as { n: number }).n
}

test('with 100,000 reservations every list is read through an index and counted correctly', async (t) => {
  const { db, plans, reservations, suts, heldBy } = await setting(t)
  t.deepEqual(notFound(planOf(db, 'SELECT count(*) FROM reservation WHERE starts > 5')), ['SCAN reservation'])
  for (const [name, shape] of Object.entries(shapes)) {
    const { documents, count } = reservations({ ...PART, ...shape })
    t.is(count, countedOneByOne(db, shape), name)
    if (shape.createdBefore === undefined) t.is(documents.length, Math.min(count, PART.limit), name)
    const lines = plans()
    t.true(lines.length > 0, name)
    t.deepEqual(notFound(lines), [], name)
  }
  const number = makeNumbers(7)
  for (let n = 0; n < 40; n++) {
    // Long spans that begin and end at any time of day, on or off the quarter-hour.
    const [from, to] = [FIRST + number(200 * DAY), FIRST + (200 + number(200)) * DAY + number(97) * 900]
    const span = number(4) === 0 ? { startsBefore: to } : { endsAfter: from, startsBefore: to }
    const query = number(2) === 0 ? span : { ...span, user_id: userId(0) }
    t.is(reservations({ ...PART, ...query }).count, countedOneByOne(db, query), JSON.stringify(query))
    t.deepEqual(notFound(plans()), [])
  }
  for (const query of [
    {},
    { free: { start: MIDDLE, end: MIDDLE + 3_600 } },
    { free: { start: MIDDLE, end: MIDDLE + DAY }, tags: { os: 'linux' }, createdBefore: toPublicPosition(400) },
    { retired: true, name: 'machine 1' },
    {
      name: 'machine 1',
      tags: { os: 'linux' },
      createdBefore: toPublicPosition(400),
      sut_type: 'vnc',
      is_active: true,
    },
  ]) {
    suts({ ...PART, ...query })
    t.deepEqual(notFound(plans()), [])
  }
  db.exec("INSERT INTO sut_display VALUES (0, 0, 'a', '{}', NULL, 0, NULL, 900)")
  suts({ ...PART, free: { start: MIDDLE, end: MIDDLE + DAY } })
  t.deepEqual(notFound(plans()), [])
  for (const days of [20, 366]) {
    t.true(heldBy([sutId(7)], { start: MIDDLE - days * DAY, end: MIDDLE }).length > 0)
    t.deepEqual(notFound(plans()), [])
  }
})
