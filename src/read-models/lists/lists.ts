import type { DatabaseSync } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { makePositionAt } from '../tables/log-index.ts'
import { VERSION_COLUMNS, type Version } from '../tables/version.ts'
import { makeAvailable } from './available.ts'
import { makeCsvRows } from './csv.ts'
import { makeHistory, makeHistoryChanges } from './histories.ts'
import { makeSutsToMatch } from './matchable.ts'
import { makeOutages } from './outages.ts'
import { makeList, makeReads } from './page.ts'
import { SUT_REQUESTS } from './requests.ts'
import { type Details, makeReservationReads, RESERVATIONS, type ReservationListQuery, SERIES } from './reservations.ts'
import { SESSIONS } from './sessions.ts'
import { makeSutReads, SUTS, type SutDetails, type SutListQuery } from './suts.ts'
import { makeUpcomingReads } from './upcoming.ts'
import { makeUsageReads } from './usage.ts'

const makeVersionAt = (db: DatabaseSync) => {
  const of = (table: 'sut' | 'reservation') =>
    prepare<Version>(
      db,
      `SELECT ${VERSION_COLUMNS} FROM ${table} WHERE id = ? AND position <= ? ORDER BY position DESC LIMIT 1`,
    )
  const versions = { sut: of('sut'), reservation: of('reservation') }
  /** A SUT or reservation as of the event at a position. */
  return (kind: 'sut' | 'reservation', id: string, asOf: PublicPosition): Version | undefined =>
    versions[kind].get(id, asOf)
}

/** Reads lists from the rows of a file. */
export const openLists = (db: DatabaseSync) => {
  const reads = makeReads(db)
  const { ask } = reads
  const suts = makeList<SutListQuery, SutDetails>(reads, SUTS)
  const ofReservations = makeReservationReads(ask)
  return {
    suts,
    available: makeAvailable(ask, { suts, ...ofReservations }),
    reservations: makeList<ReservationListQuery, Details>(reads, RESERVATIONS),
    series: makeList(reads, SERIES),
    sessions: makeList(reads, SESSIONS),
    sutRequests: makeList(reads, SUT_REQUESTS),
    outages: makeOutages(ask),
    csvRows: makeCsvRows(ask),
    ...makeSutReads(ask),
    sutsToMatch: makeSutsToMatch(ask),
    ...ofReservations,
    ...makeUpcomingReads(ask),
    ...makeUsageReads(ask),
    positionAt: makePositionAt(db),
    versionAt: makeVersionAt(db),
    history: makeHistory(db),
    historyChanges: makeHistoryChanges(db),
  }
}

export type Lists = ReturnType<typeof openLists>
