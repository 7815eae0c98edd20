import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import { makeReads } from '../../../src/read-models/lists/conditions.ts'
import type { ReservationListQuery, Visibility } from '../../../src/read-models/lists/lists.ts'
import { makeReservationList } from '../../../src/read-models/lists/reservation-list.ts'
import { makeHolders, makeIsHolder, makeScopes } from '../../../src/read-models/lists/scope.ts'
import { makeIdKeys } from '../../../src/read-models/tables/id-keys.ts'
import { aDirectory } from '../../event-store/sqlite/subject.ts'
import { explained } from './explained.ts'
import { FIRST, fill, sutId, userId } from './many-reservations.ts'

/** Lists as users with scopes see them: the SUTs with some tags, and their own reservations. */

const SCALE = { reservations: 20_000, suts: 200, users: 60 }
const DAY = 86_400
const MIDDLE = FIRST + 180 * DAY
const PAGE = { limit: 50, offset: 0 }

/** A third of the SUTs are of a team, a tenth in a rack, and one is alone. */
const TAGS = `
  INSERT INTO sut_tag SELECT key, 'team', 'qa1' FROM name WHERE key % 3 = 0;
  INSERT INTO sut_tag SELECT key, 'rack', '4' FROM name WHERE key % 10 = 0;
  INSERT INTO sut_tag SELECT key, 'alone', 'yes' FROM name WHERE key = 30;
  CREATE TEMP TABLE copy AS
    SELECT document, document ->> 'sut_id' AS sut_id, document ->> 'user_id' AS user_id, starts, ends, created
    FROM reservation NOT INDEXED ORDER BY created DESC;
  CREATE TEMP TABLE tagged AS SELECT n.id, t.name, t.value FROM sut_tag t JOIN name n ON n.key = t.sut;`

const SIGHTS: readonly Visibility[] = [
  { scope: { team: 'qa1' }, user_id: userId(9) },
  { scope: { team: 'qa1', rack: '4' }, user_id: userId(0) },
  { scope: { alone: 'yes' }, user_id: 'nobody' },
  { scope: { team: 'qa2' }, user_id: userId(9) },
]

const SHAPES: readonly Partial<ReservationListQuery>[] = [
  {},
  { offset: 500 },
  { createdBefore: toPublicPosition(15_000) },
  { sut_ids: [sutId(7)] },
  { sut_ids: [sutId(29)], user_id: userId(0) },
  { sut_ids: [sutId(28)], user_id: userId(0) },
  { sut_ids: [sutId(7), sutId(27)] },
  { sut_ids: [sutId(7), sutId(28), sutId(29)] },
  { sut_ids: [sutId(28), sutId(29)] },
  { sut_ids: [sutId(7), sutId(28)], user_id: userId(0) },
  { sut_ids: [sutId(7), sutId(28)], endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  { user_id: userId(9) },
  { user_id: userId(0) },
  { user_id: userId(3), endsAfter: MIDDLE },
  { endsAfter: MIDDLE, startsBefore: MIDDLE + DAY },
  { endsAfter: FIRST + DAY },
  { startsBefore: MIDDLE, createdBefore: toPublicPosition(10_000) },
  { sut_ids: [sutId(28)], endsAfter: MIDDLE },
  { endsAfter: MIDDLE, startsBefore: MIDDLE + 1, isHeld: true },
]

const setting = async (t: ExecutionContext) => {
  const path = join(await aDirectory(t), 'views.db')
  fill(path, SCALE).file.close()
  const db = new DatabaseSync(path)
  t.teardown(() => db.close())
  db.exec(TAGS)
  const { run, lines } = explained(db)
  const [names, scopes] = [makeIdKeys(db), makeScopes(db)]
  return {
    db,
    lines,
    reservations: makeReservationList(makeReads(db, run), names, scopes),
    holders: makeHolders(run),
    isHolder: makeIsHolder(run, names),
  }
}

const inScope = (scope: Visibility['scope']): string =>
  Object.entries(scope)
    .map(([name, value]) => `sut_id IN (SELECT id FROM tagged WHERE name = '${name}' AND value = '${value}')`)
    .join(' AND ')

/** What a query finds, read row by row without an index. */
const expected = (db: DatabaseSync, { scope, user_id }: Visibility, query: Partial<ReservationListQuery>) => {
  const { sut_ids, user_id: user } = query
  const where = [
    `((${inScope(scope)}) OR user_id = '${user_id}')`,
    ...(sut_ids === undefined ? [] : [`sut_id IN (${sut_ids.map((id) => `'${id}'`)})`]),
    ...(user === undefined ? [] : [`user_id = '${user}'`]),
    ...(query.endsAfter === undefined ? [] : [`ends > ${query.endsAfter}`]),
    ...(query.startsBefore === undefined ? [] : [`starts < ${query.startsBefore}`]),
  ]
  const rows = db.prepare(`SELECT document, created FROM copy WHERE ${where.join(' AND ')}`).all()
  const { offset = 0, createdBefore = Number.POSITIVE_INFINITY } = query
  const here = rows.filter(({ created }) => Number(created) < createdBefore)
  return { documents: here.slice(offset, offset + PAGE.limit).map(({ document }) => document), count: rows.length }
}

const isFound = (line: string): boolean =>
  /^(?:SCAN (?:s|page|name)$|SEARCH \w+ USING INTEGER PRIMARY KEY|CO-ROUTINE page$|SCAN json_each VIRTUAL TABLE INDEX 1:|LIST SUBQUERY \d+$)/.test(
    line,
  ) ||
  /^SEARCH r USING COVERING INDEX reservation_by_(?:sut|user|end) \(segment=\?/.test(line) ||
  /^SEARCH t USING COVERING INDEX sut_by_tag \(name=\? AND value=\?/.test(line) ||
  /^SEARCH o (?:USING PRIMARY KEY \(sut=\? AND name=\?\)|EXISTS|USING COVERING INDEX)/.test(line) ||
  /^(?:CORRELATED SCALAR SUBQUERY \d+|USE TEMP B-TREE FOR (?:LAST TERM OF )?ORDER BY|CREATE BLOOM FILTER)$/.test(line)

test('thorough: a list in sight has the reservations of the SUTs in scope and the user’s own, and counts them', async (t) => {
  const { db, reservations, lines } = await setting(t)
  for (const visibility of SIGHTS) {
    for (const shape of SHAPES) {
      const about = JSON.stringify({ visibility, shape })
      t.deepEqual(reservations({ ...PAGE, ...shape, visibility }), expected(db, visibility, shape), about)
      t.deepEqual(
        lines.splice(0).filter((line) => !isFound(line)),
        [],
        about,
      )
    }
  }
})

test('thorough: the holders in a scope are those with a reservation of a SUT in it', async (t) => {
  const { db, holders, isHolder, lines } = await setting(t)
  for (const { scope } of SIGHTS) {
    const rows = db.prepare(`SELECT DISTINCT user_id FROM copy WHERE ${inScope(scope)} ORDER BY user_id`).all()
    const all = rows.map(({ user_id }) => String(user_id))
    t.deepEqual(holders(scope).toSorted(), all)
    for (const id of [...Array(SCALE.users).keys()].map(userId)) t.is(isHolder(scope, id), all.includes(id))
    t.false(isHolder(scope, 'nobody'))
    t.deepEqual(
      lines.splice(0).filter((line) => !isFound(line)),
      [],
    )
  }
})
