import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { profileOf } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { REQUEST_LISTED } from '../tables/request-table.ts'
import { SUT_LISTED } from '../tables/sut-table.ts'
import { type Condition, columnIn, condition, optional, type Reads, rowsFrom } from './conditions.ts'
import { columnsOf, countAndRead, pageOfRows } from './details.ts'
import type { ListPage, Lists, SutListQuery, SutRequestQuery, Visibility } from './lists.ts'

/** More SUTs than there can be: each has a port. */
const SUTS_MAX = 65_536

// One step of the recursion finds the next target, however many requests have the same.
const TARGETS = `WITH RECURSIVE t (target) AS (
    SELECT min(target) FROM sut_request WHERE ${REQUEST_LISTED}
    UNION ALL SELECT (SELECT min(target) FROM sut_request WHERE ${REQUEST_LISTED} AND target > t.target) FROM t
    WHERE t.target IS NOT NULL)
  SELECT target, (SELECT document FROM sut_request s
    WHERE s.${REQUEST_LISTED} AND s.target = t.target LIMIT 1) AS document
  FROM t WHERE target IS NOT NULL`

/** The targets that one of some SUTs fits. */
const findTargets = (ask: RunQuery, suts: readonly string[]): readonly number[] => {
  if (suts.length === 0) return []
  const index = makeFitIndex()
  const ids = new Set<string>()
  for (const [slot, text] of suts.entries()) {
    const sut = JSON.parse(text) as Sut
    ids.add(sut._id)
    index.put(slot, profileOf(sut, sut.tags))
  }
  const isMet = ({ match, sut_id = '' }: SutRequest): boolean =>
    match === undefined ? ids.has(sut_id) : index.fitting(match).some((bits) => bits !== 0)
  return ask<{ target: number; document: string }>(TARGETS).flatMap(({ target, document }) =>
    isMet(JSON.parse(document) as SutRequest) ? [target] : [],
  )
}

const ofUser = (names: IdKeys, userId: string | undefined): readonly Condition[] =>
  optional('user = ?', userId === undefined ? undefined : (names.find(userId) ?? -1))

type Suts = (query: SutListQuery) => ListPage

const filtersOf = (
  ask: RunQuery,
  names: IdKeys,
  suts: Suts,
  { status, user_id, sut, visibility }: SutRequestQuery,
): readonly Condition[] => {
  const targetsOfSut = (_id: string): readonly number[] => {
    const rows = ask<{ document: string }>(`SELECT document FROM sut WHERE id = ? AND ${SUT_LISTED}`, _id)
    return findTargets(
      ask,
      rows.map(({ document }) => document),
    )
  }
  const inSight = ({ scope, user_id: own }: Visibility): Condition => {
    const { documents } = suts({ scope, limit: SUTS_MAX, offset: 0 })
    const { sql, values } = columnIn('target', findTargets(ask, documents))
    return condition(`(user = ? OR ${sql})`, names.find(own) ?? -1, ...values)
  }
  return [
    ...optional('status = ?', status),
    ...ofUser(names, user_id),
    ...(sut === undefined
      ? []
      : [columnIn('target', [names.find(sut._id) ?? -1, ...(sut.isSeen ? targetsOfSut(sut._id) : [])])]),
    ...(visibility === undefined ? [] : [inSight(visibility)]),
  ]
}

const rowsWhere = (conditions: readonly Condition[]): Condition =>
  rowsFrom('sut_request', [condition(REQUEST_LISTED), ...conditions])

export const makeRequestList =
  (reads: Reads, names: IdKeys, suts: Suts): Lists['sutRequests'] =>
  (query) => {
    const filters = filtersOf(reads.ask, names, suts, query)
    const { rows, count } = countAndRead(reads, 'sut_request', rowsWhere, filters, columnsOf(query), query)
    return pageOfRows(rows, count, query)
  }
