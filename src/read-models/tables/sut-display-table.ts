import { type ListColumns, type ListWriter, nothing } from './list-table.ts'

/** Rows of SUTs that have a turnaround now. */
export const TURNAROUND = 'until IS NULL AND turnaround > 0'

export const sutDisplayColumns: ListColumns = {
  columns: ['turnaround INTEGER NOT NULL'],
  schema: `
  CREATE INDEX turnaround_longest ON sut_display (turnaround, until) WHERE ${TURNAROUND};
  CREATE INDEX turnaround_by_sut ON sut_display (id, turnaround, until) WHERE ${TURNAROUND};`,
}

export const sutDisplayWriter: ListWriter = {
  enter: ({ columns }) => columns as readonly number[],
  leave: nothing,
  flush: nothing,
  forget: nothing,
}
