import type { DatabaseSync } from 'node:sqlite'
import { type CorrectedTimes, makeCorrectedTimes } from '../tables/corrected-times.ts'
import { makeIdKeys } from '../tables/id-keys.ts'
import type { ListWriter } from '../tables/list-table.ts'
import { makeReservationCounts } from '../tables/reservation-counts.ts'
import { makeReservationWriter } from '../tables/reservation-table.ts'
import { makeSutWriter } from '../tables/sut-table.ts'
import { makeTimeIndex } from '../tables/time-index.ts'
import { makeIsShort } from './access-paths.ts'
import { makeHistories } from './histories.ts'
import { type Lists, makeRunQuery } from './lists.ts'
import { makePast } from './past.ts'
import { makeHeld, makeReservationList } from './reservation-list.ts'
import { isShort as isShortOfSuts, makeSutList } from './sut-list.ts'

export interface OpenLists {
  /** Keeps the tables behind lists in step with the rows, by projection. */
  readonly writers: Readonly<Partial<Record<string, ListWriter>>>
  readonly lists: Lists
  readonly correctTimes: CorrectedTimes['correct']
  readonly flush: () => void
  readonly forget: () => void
}

export const openLists = (db: DatabaseSync): OpenLists => {
  const names = makeIdKeys(db)
  const counts = makeReservationCounts(db)
  const periods = makeTimeIndex(db)
  const writers = { sut: makeSutWriter(periods), reservation: makeReservationWriter(db, names, counts, periods) }
  const correctedTimes = makeCorrectedTimes(db, periods)
  const ask = makeRunQuery(db)
  const isShort = makeIsShort(names, counts)
  return {
    writers,
    correctTimes: correctedTimes.correct,
    lists: {
      isShort: {
        reservations: isShort,
        suts: isShortOfSuts,
        held: (sut_id, { start, end }) => isShort({ limit: 0, offset: 0, sut_id, endsAfter: start, startsBefore: end }),
      },
      reservations: makeReservationList(ask, names, counts),
      suts: makeSutList(ask),
      held: makeHeld(ask, names, counts),
      past: makePast(db, ask, names, counts, periods),
      histories: makeHistories(db, names, counts),
    },
    flush: () => {
      for (const writer of Object.values(writers)) writer.flush()
      periods.flush()
    },
    forget: () => {
      for (const writer of Object.values(writers)) writer.forget()
      periods.forget()
      correctedTimes.forget()
    },
  }
}
