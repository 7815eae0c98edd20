import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { profileOf } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import type { RequestStatus } from '../../domain/request/queue.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import {
  type Condition,
  columnIn,
  columnsOf,
  condition,
  type ListPage,
  optional,
  type PageQuery,
  pageOf,
  type Reads,
  readPage,
} from './page.ts'
import type { Visibility } from './scope.ts'
import type { SutListQuery } from './suts.ts'

export interface SutRequestQuery extends PageQuery {
  readonly status?: RequestStatus | undefined
  readonly user_id?: string | undefined
  /** Only those that name this SUT and, if the reader sees it, those that it fits. */
  readonly sut?: { readonly _id: string; readonly isSeen: boolean } | undefined
  /** Absent to see all. Otherwise a user sees its own, and those that a SUT in its scope fits. */
  readonly visibility?: Visibility | undefined
}

/** More SUTs than there can be: each has a port. */
const SUTS_MAX = 65_536

// One step of the recursion finds the next target, however many requests have the same.
const TARGETS = `WITH RECURSIVE t (target) AS (
    SELECT min(target) FROM sut_request WHERE ${CURRENT}
    UNION ALL SELECT (SELECT min(target) FROM sut_request WHERE ${CURRENT} AND target > t.target) FROM t
    WHERE t.target IS NOT NULL)
  SELECT target, (SELECT document FROM sut_request s
    WHERE s.${CURRENT} AND s.target = t.target LIMIT 1) AS document
  FROM t WHERE target IS NOT NULL`

/** The targets that one of some SUTs fits. */
const findTargets = (ask: RunQuery, suts: readonly string[]): readonly string[] => {
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
  return ask<{ target: string; document: string }>(TARGETS).flatMap(({ target, document }) =>
    isMet(JSON.parse(document) as SutRequest) ? [target] : [],
  )
}

const filtersOf = (
  ask: RunQuery,
  suts: (query: SutListQuery) => ListPage,
  { status, user_id, sut, visibility }: SutRequestQuery,
): readonly Condition[] => {
  const targetsOfSut = (_id: string): readonly string[] => {
    const sql = `SELECT document FROM sut WHERE id = ? AND ${CURRENT} AND ended IS NULL`
    const rows = ask<{ document: string }>(sql, _id)
    return findTargets(
      ask,
      rows.map(({ document }) => document),
    )
  }
  const inSight = ({ scope, user_id: own }: Visibility): Condition => {
    const { documents } = suts({ scope, limit: SUTS_MAX, offset: 0 })
    return condition(
      '(user = ? OR target IN (SELECT value FROM json_each(?)))',
      own,
      JSON.stringify(findTargets(ask, documents)),
    )
  }
  return [
    ...optional('status = ?', status),
    ...optional('user = ?', user_id),
    ...columnIn('target', sut && [sut._id, ...(sut.isSeen ? targetsOfSut(sut._id) : [])]),
    ...(visibility === undefined ? [] : [inSight(visibility)]),
  ]
}

export const makeRequestList =
  (reads: Reads, suts: (query: SutListQuery) => ListPage) =>
  (query: SutRequestQuery): ListPage =>
    pageOf(readPage(reads, 'sut_request', filtersOf(reads.ask, suts, query), columnsOf(query), query), query)
