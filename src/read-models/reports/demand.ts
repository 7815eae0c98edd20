/** What was asked for: requests that waited for a SUT, and what was refused. */

import type { DatabaseSync } from 'node:sqlite'
import type { CountedRefusals } from '../../../projections/refusals.ts'
import type { Sut } from '../../../projections/sut.ts'
import type { SutRequest } from '../../../projections/sut-request.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { DEMAND_CODES } from '../../domain/failure.ts'
import { profileOf } from '../../domain/matching/fit.ts'
import { makeFitIndex } from '../../domain/matching/fit-index.ts'
import { fits } from '../../domain/user/scope.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Milliseconds, UnixMilliseconds } from '../../domain/values/units.ts'
import { prepare } from '../../files/sqlite.ts'
import { makePositionAt } from '../tables/log-index.ts'
import { CURRENT } from '../tables/schema.ts'
import { type Figures, makeReport, type ReportQuery } from './cells.ts'

export interface DemandReportQuery extends ReportQuery {
  readonly by: 'user' | 'none'
  /** Whose scope it is, who sees its own requests wherever they are. */
  readonly reader: string
}

interface Cell {
  readonly count: Record<SutRequest['status'], number>
  waited: Milliseconds
  longest: Milliseconds
  readonly refused: Map<string, number>
}

const makeCell = (): Cell => ({
  count: { waiting: 0, granted: 0, expired: 0, withdrawn: 0 },
  ...{ waited: 0, longest: 0, refused: new Map() },
})

export const DEMAND_FIGURES = {
  requests: ({ count }) => count.waiting + count.granted + count.expired + count.withdrawn,
  granted: ({ count }) => count.granted,
  expired: ({ count }) => count.expired,
  withdrawn: ({ count }) => count.withdrawn,
  waited_seconds: ({ waited }) => Math.floor(waited / 1000),
  waited_longest_seconds: ({ longest }) => Math.floor(longest / 1000),
} satisfies Figures<Cell>

/** The code of refusals that were counted without their code and user: there were too many different ones. */
const OTHERS = 'others'

/** Milliseconds by which times along the log may not grow: instances have clocks of their own. */
const CLOCKS_APART = 3_600_000

interface Wanted {
  readonly user_id: string
  readonly sut_id?: string | undefined
  readonly match?: Criteria | undefined
}

/** Whether somebody sees what was wanted: its own, and what a SUT in its scope fits now. */
const makeIsSeen = (db: DatabaseSync, { scope, reader }: DemandReportQuery) => {
  if (scope === undefined) return () => true
  const suts = prepare<{ document: string }>(db, `SELECT document FROM sut WHERE ${CURRENT} AND ended IS NULL`)
  const [ids, index] = [new Set<string>(), makeFitIndex()]
  for (const { document } of suts.iterate()) {
    const sut = JSON.parse(document) as Sut
    if (!fits(sut.tags, scope)) continue
    index.put(ids.size, profileOf(sut, sut.tags))
    ids.add(sut._id)
  }
  const met = new Map<string, boolean>()
  const isMet = (match: Criteria): boolean => {
    const text = canonicalJson(match)
    const is = met.get(text) ?? index.fitting(match).some((bits) => bits !== 0)
    met.set(text, is)
    return is
  }
  return ({ user_id, sut_id = '', match }: Wanted): boolean =>
    user_id === reader || (match === undefined ? ids.has(sut_id) : isMet(match))
}

/** Reads the documents of a table that were created within a span, and some before and after. */
const documentsOf = (db: DatabaseSync, table: 'sut_request' | 'refusals', { from, to }: DemandReportQuery) => {
  const positionAt = makePositionAt(db)
  return prepare<{ document: string }>(
    db,
    `SELECT document FROM ${table} WHERE ${CURRENT} AND created >= ? AND created <= ?`,
  ).iterate(positionAt(from - CLOCKS_APART), positionAt(to + CLOCKS_APART))
}

export const makeDemandReport = makeReport(makeCell, (db, query: DemandReportQuery, cells) => {
  const { from, to, by, now, user_id, scope } = query
  const isSeen = makeIsSeen(db, query)
  const isAsked = (moment: UnixMilliseconds, wanted: Wanted): boolean =>
    moment >= from && moment < to && (user_id === undefined || wanted.user_id === user_id) && isSeen(wanted)

  for (const { document } of documentsOf(db, 'sut_request', query)) {
    const request = JSON.parse(document) as SutRequest
    const created = epochMillisecondsOf(request.created_at)
    if (!isAsked(created, request)) continue
    const cell = cells.at(created, by === 'user' ? request.user_id : null)
    const until = request.status === 'waiting' ? now : epochMillisecondsOf(request.updated_at)
    const waited = Math.max(0, until - created)
    cell.count[request.status]++
    cell.waited += waited
    cell.longest = Math.max(cell.longest, waited)
  }

  const codes = new Set<string>()
  const refuse = (moment: UnixMilliseconds, user: string | null, code: string, count: number): void => {
    const { refused } = cells.at(moment, by === 'user' ? user : null)
    refused.set(code, (refused.get(code) ?? 0) + count)
    codes.add(code)
  }
  for (const { document } of documentsOf(db, 'refusals', query)) {
    const counted = JSON.parse(document) as CountedRefusals
    const moment = epochMillisecondsOf(counted.from)
    // Before 2.1.0 other codes were counted too.
    for (const refusal of counted.refusals)
      if (DEMAND_CODES.has(refusal.code) && isAsked(moment, refusal))
        refuse(moment, refusal.user_id, refusal.code, refusal.count)
    const isForAll = scope === undefined && user_id === undefined && moment >= from && moment < to
    if (counted.others !== undefined && isForAll) refuse(moment, null, OTHERS, counted.others)
  }

  const counts = [...codes].sort().map((code) => [code, ({ refused }: Cell) => refused.get(code) ?? 0] as const)
  const report = cells.toReport(DEMAND_FIGURES, Object.fromEntries(counts))
  return by === 'user' ? report : { ...report, names: report.keys }
})
