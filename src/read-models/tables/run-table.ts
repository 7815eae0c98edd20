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
