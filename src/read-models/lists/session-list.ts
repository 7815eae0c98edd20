import type { IdKeys } from '../tables/id-keys.ts'
import { IS_OPEN, SESSION_LISTED } from '../tables/session-table.ts'
import { type Condition, condition, optional, type Reads, rowsFrom } from './conditions.ts'
import { columnsOf, countAndRead, pageOfRows } from './details.ts'
import type { Lists, SessionQuery } from './lists.ts'

/** Nothing has this key. */
const NOBODY = -1

const filtersOf = (names: IdKeys, query: SessionQuery): readonly Condition[] => {
  const { sut_id, user_id, reservation_id, isOpen, closesAfter, opensBefore } = query
  const keyOf = (id: string | undefined): number | undefined =>
    id === undefined ? undefined : (names.find(id) ?? NOBODY)
  return [
    ...optional('sut = ?', keyOf(sut_id)),
    ...optional('user = ?', keyOf(user_id)),
    ...optional('reservation = ?', reservation_id),
    ...(isOpen ? [condition(IS_OPEN)] : []),
    ...optional('opens < ?', opensBefore),
    ...optional('closes > ?', closesAfter),
  ]
}

const rowsWhere = (conditions: readonly Condition[]): Condition =>
  rowsFrom('session', [condition(SESSION_LISTED), ...conditions])

export const makeSessionList =
  (reads: Reads, names: IdKeys): Lists['sessions'] =>
  (query) => {
    const { rows, count } = countAndRead(reads, 'session', rowsWhere, filtersOf(names, query), columnsOf(query), query)
    return pageOfRows(rows, count, query)
  }
