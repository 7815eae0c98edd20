import type { ReservationKeepaliveColumns } from '../../../projections/reservation-run.ts'
import type { IdKeys } from './id-keys.ts'
import { type ListColumns, type ListWriter, nothing } from './list-table.ts'
import type { ReservationCounts } from './reservation-counts.ts'

/** Recorded starts and ends of reservations. They count as events of their SUT. */
export const runColumns: ListColumns = { columns: ['sut INTEGER NOT NULL'], schema: '' }

/** The counts are written by the table of reservations. */
export const makeRunWriter = (names: IdKeys, counts: Pick<ReservationCounts, 'furtherEvent'>): ListWriter => ({
  enter: ({ columns }) => {
    const sut = names.keyOf(columns[0] as string)
    counts.furtherEvent(sut)
    return [sut]
  },
  leave: nothing,
  flush: nothing,
  forget: nothing,
})

/** Reservations that have to be kept alive, and each time that they were. */
export const keepaliveColumns: ListColumns = {
  columns: ['sut INTEGER NOT NULL', 'keepalive INTEGER NOT NULL', 'is_kept INTEGER NOT NULL'],
  schema: '',
}

/** What kept one alive counts as an event of its SUT. What made it is counted by the table of reservations. */
export const makeKeepaliveWriter = (names: IdKeys, counts: Pick<ReservationCounts, 'furtherEvent'>): ListWriter => ({
  enter: ({ columns }) => {
    const [sutId, keepalive, isKept] = columns as ReservationKeepaliveColumns
    const sut = names.keyOf(sutId)
    if (isKept) counts.furtherEvent(sut)
    return [sut, keepalive, Number(isKept)]
  },
  leave: nothing,
  flush: nothing,
  forget: nothing,
})
