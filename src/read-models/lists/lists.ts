import type { DatabaseSync } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { makeDemandReport } from '../reports/demand.ts'
import { makeUsageReport } from '../reports/usage.ts'
import { makePositionAt } from '../tables/log-index.ts'
import { VERSION_COLUMNS, type Version } from '../tables/version.ts'
import { makeAvailable } from './available.ts'
import { makeHistory } from './histories.ts'
import { makeSutsToMatch } from './matchable.ts'
import { makeOutages } from './outages.ts'
import { type ListRows, makeList, makeReads, type PageQuery } from './page.ts'
import { SUT_REQUESTS } from './requests.ts'
import {
  makeReservationReads,
  RESERVATIONS,
  type ReservationDetails,
  type ReservationListQuery,
  SERIES,
} from './reservations.ts'
import { SESSIONS } from './sessions.ts'
import { makeSutReads, SUTS, type SutDetails, type SutListQuery } from './suts.ts'
import { makeUpcomingReads } from './upcoming.ts'
import { makeUsageReads } from './usage.ts'

/** What is read of the past: the moment of a position or a time in Unix milliseconds, and objects as they were then. */
const makePastReads = (db: DatabaseSync) => {
  const positionAt = makePositionAt(db)
  const timeAt = prepare<{ time: number }>(db, 'SELECT time FROM log WHERE position = ?')
  const version = (table: 'sut' | 'reservation') =>
    prepare<Version>(
      db,
      `SELECT ${VERSION_COLUMNS} FROM ${table} WHERE id = ? AND position <= ? ORDER BY position DESC LIMIT 1`,
    )
  const versions = { sut: version('sut'), reservation: version('reservation') }
  return {
    /** The last event recorded at or before a time. */
    positionAt,
    /** When an event was recorded; undefined if the file does not have it. */
    timeAt: (position: PublicPosition): number | undefined => timeAt.get(position)?.time,
    /** A SUT or reservation as of the event at a position. */
    versionAt: (kind: 'sut' | 'reservation', id: string, asOf: PublicPosition): Version | undefined =>
      versions[kind].get(id, asOf),
  }
}

/** Reads lists from the rows of a file. */
export const openLists = (db: DatabaseSync) => {
  const reads = makeReads(db)
  const { ask } = reads
  const suts = makeList<SutListQuery, SutDetails>(reads, SUTS)
  const reservations = makeList<ReservationListQuery, ReservationDetails>(reads, RESERVATIONS)
  const series = makeList(reads, SERIES)
  const sessions = makeList(reads, SESSIONS)
  const sutRequests = makeList(reads, SUT_REQUESTS)
  const all = { suts, reservations, series, sessions, sutRequests }
  const ofReservations = makeReservationReads(ask)
  return {
    suts: suts.page,
    reservations: reservations.page,
    series: series.page,
    sessions: sessions.page,
    sutRequests: sutRequests.page,
    /** Rows of these lists, at positions that their pages had. */
    rows: (name: keyof typeof all, query: PageQuery, positions: readonly PublicPosition[]): ListRows =>
      all[name].rowsAt(query, positions),
    available: makeAvailable(ask, { suts: suts.page, ...ofReservations }),
    outages: makeOutages(ask),
    ...makeSutReads(ask),
    sutsToMatch: makeSutsToMatch(ask),
    ...ofReservations,
    ...makeUpcomingReads(ask),
    ...makeUsageReads(ask),
    ...makePastReads(db),
    history: makeHistory(db),
    usageReport: makeUsageReport(db),
    demandReport: makeDemandReport(db),
  }
}

export type Lists = ReturnType<typeof openLists>
