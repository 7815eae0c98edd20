import type { DatabaseSync } from 'node:sqlite'
import { makeIdKeys } from '../tables/id-keys.ts'
import type { SharedTables } from '../tables/list-table.ts'
import { makeAssignPlaces } from '../tables/session-places.ts'
import { makeSutEvents } from '../tables/sut-events.ts'
import { makeReads } from './conditions.ts'
import { makeCsvRows } from './csv.ts'
import { makeHistories, makeSessionEvents } from './histories.ts'
import type { Lists } from './lists.ts'
import { makeOutages } from './outages.ts'
import { makePast } from './past.ts'
import { makeRequestList } from './request-list.ts'
import {
  makeHeldBy,
  makeLastEnds,
  makeReservationList,
  makeSeriesList,
  makeSeriesReservations,
} from './reservation-list.ts'
import { makeHolders, makeIsHolder, makeScopes } from './scope.ts'
import { makeSessionList } from './session-list.ts'
import { makeEverySut, makeSutList, makeSutStates, makeTurnaroundsOf } from './sut-list.ts'
import { makeEndedSince, makeUnrecorded, makeUpcoming, makeWindows } from './upcoming.ts'
import { makeFinishedUsage, makeUnfinishedUsage, makeUsed } from './usage.ts'

export const openLists = (db: DatabaseSync) => {
  const names = makeIdKeys(db)
  const events = makeSutEvents(db)
  const scopes = makeScopes(db)
  const reads = makeReads(db)
  const { ask } = reads
  const histories = makeHistories(db, names, events)
  const assignPlaces = makeAssignPlaces(db, names, (sutId) => {
    events.flush()
    return histories.eventsOf(sutId)
  })
  const suts = makeSutList(reads)
  const heldBy = makeHeldBy(ask, names)
  return {
    shared: { db, names, events } satisfies SharedTables,
    /** Called with the rows of whole events once they are in their tables. */
    afterRows: assignPlaces,
    lists: {
      reservations: makeReservationList(reads, names, scopes),
      suts,
      everySut: makeEverySut(ask),
      sutStates: makeSutStates(ask),
      outages: makeOutages(ask, names, scopes),
      series: makeSeriesList(reads, names),
      sutRequests: makeRequestList(reads, names, suts),
      seriesReservations: makeSeriesReservations(ask),
      sessions: makeSessionList(reads, names),
      heldBy,
      held: (sutId, span) => heldBy([sutId], span).map(({ start, end }) => ({ start, end })),
      lastEnds: makeLastEnds(ask, names),
      turnaroundsOf: makeTurnaroundsOf(ask),
      upcoming: makeUpcoming(ask),
      unrecorded: makeUnrecorded(ask),
      windows: makeWindows(ask),
      endedSince: makeEndedSince(ask, names),
      unfinishedUsage: makeUnfinishedUsage(ask, names),
      finishedUsage: makeFinishedUsage(ask, names),
      used: makeUsed(ask, names),
      holders: makeHolders(ask),
      isHolder: makeIsHolder(ask, names),
      csvRows: makeCsvRows(ask),
      past: makePast(db, reads, names, scopes),
      histories,
      sessionEvents: makeSessionEvents(db, names),
    } satisfies Lists,
    /** Writes what is buffered, before a commit and before a list is read. */
    flush: events.flush,
    /** Called after a failed transaction. */
    forget: (): void => {
      names.forget()
      events.forget()
      reads.forget()
    },
  }
}
