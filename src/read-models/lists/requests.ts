import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { profileOf } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import type { RequestStatus } from '../../domain/request/queue.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import { and, type Condition, columnIn, condition, type List, optional, type PageQuery } from './page.ts'
import { hasTags, type Visibility } from './scope.ts'

export interface SutRequestQuery extends PageQuery {
  readonly status?: RequestStatus | undefined
  readonly user_id?: string | undefined
  /** Only those that name this SUT and, if the reader sees it, those that it fits. */
  readonly sut?: { readonly _id: string; readonly isSeen: boolean } | undefined
  /** Absent to see all. Otherwise a user sees its own, and those that a SUT in its scope fits. */
  readonly visibility?: Visibility | undefined
}

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

const documentsOf = (ask: RunQuery, conditions: Condition): readonly string[] =>
  ask<{ document: string }>(
    `SELECT document FROM sut WHERE ${CURRENT} AND ended IS NULL${conditions.sql}`,
    ...conditions.values,
  ).map(({ document }) => document)

export const SUT_REQUESTS: List<SutRequestQuery> = {
  table: 'sut_request',
  filters: ({ status, user_id, sut, visibility }, ask) => {
    const targetsOf = (conditions: readonly Condition[]) => findTargets(ask, documentsOf(ask, and(conditions)))
    const inSight = ({ scope, user_id: own }: Visibility): Condition =>
      condition(
        '(user = ? OR target IN (SELECT value FROM json_each(?)))',
        own,
        JSON.stringify(targetsOf(hasTags({ ...scope }))),
      )
    return [
      ...optional('status = ?', status),
      ...optional('user = ?', user_id),
      ...columnIn('target', sut && [sut._id, ...(sut.isSeen ? targetsOf([condition('id = ?', sut._id)]) : [])]),
      ...(visibility === undefined ? [] : [inSight(visibility)]),
    ]
  },
}
