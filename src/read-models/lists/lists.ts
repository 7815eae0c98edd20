import type { DatabaseSync } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { makePositionAt } from '../tables/log-index.ts'
import { VERSION_COLUMNS, type Version } from '../tables/version.ts'
import { makeCsvRows } from './csv.ts'
import { makeHistory, makeHistoryChanges } from './histories.ts'
import { makeSutsToMatch } from './matchable.ts'
import { makeOutages } from './outages.ts'
import { makeReads } from './page.ts'
import { makeRequestList } from './requests.ts'
import { makeReservationList, makeReservationReads, makeSeriesList } from './reservations.ts'
import { makeSessionList } from './sessions.ts'
import { makeSutList, makeSutReads } from './suts.ts'
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
  const suts = makeSutList(reads)
  const lists = {
    reservations: makeReservationList(reads),
    suts,
    series: makeSeriesList(reads),
    sessions: makeSessionList(reads),
    sutRequests: makeRequestList(reads, suts),
    outages: makeOutages(ask),
    csvRows: makeCsvRows(ask),
    ...makeSutReads(ask),
    sutsToMatch: makeSutsToMatch(ask),
    ...makeReservationReads(ask),
    ...makeUpcomingReads(ask),
    ...makeUsageReads(ask),
    positionAt: makePositionAt(db),
    versionAt: makeVersionAt(db),
    history: makeHistory(db),
    historyChanges: makeHistoryChanges(db),
  }
  return {
    lists,
    /** Called after a failed transaction. */
    forget: reads.forget,
  }
}

export type Lists = ReturnType<typeof openLists>['lists']
