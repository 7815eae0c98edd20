import type { ReservationKeepaliveColumns } from '../../../projections/reservation-run.ts'
import type { ListTable } from './list-table.ts'

/** Recorded starts and ends of reservations. They count as events of their SUT. */
export const runTable: ListTable = {
  columns: ['sut INTEGER NOT NULL'],
  schema: '',
  makeWriter: ({ names, counts }) => ({
    enter: ({ columns }) => {
      const sut = names.keyOf(columns[0] as string)
      counts.furtherEvent(sut)
      return [sut]
    },
  }),
}

/**
 * Reservations that have to be kept alive, and each time that they were. What kept one alive counts as an event of its
 * SUT; what made it is counted by the table of reservations.
 */
export const keepaliveTable: ListTable = {
  columns: ['sut INTEGER NOT NULL', 'keepalive INTEGER NOT NULL', 'is_kept INTEGER NOT NULL'],
  schema: '',
  makeWriter: ({ names, counts }) => ({
    enter: ({ columns }) => {
      const [sutId, keepalive, isKept] = columns as ReservationKeepaliveColumns
      const sut = names.keyOf(sutId)
      if (isKept) counts.furtherEvent(sut)
      return [sut, keepalive, Number(isKept)]
    },
  }),
}
