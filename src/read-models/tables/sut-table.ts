import type { SutColumns } from '../../../projections/sut.ts'
import type { ListColumns, ListWriter } from './list-table.ts'
import type { TimeIndex } from './time-index.ts'

/** Rows that lists show: neither former versions nor retired SUTs. */
export const LISTED = 'until IS NULL AND ended IS NULL'
/** Rows that lists showed before a newer version. */
export const FORMER = 'until IS NOT NULL'

// At most as many SUTs are in use as there are ports, so one index with all filter columns is enough.
export const sutColumns: ListColumns = {
  hasObserved: true,
  columns: [
    'sut_type TEXT NOT NULL',
    'is_active INTEGER NOT NULL',
    'folded_name TEXT NOT NULL',
    'tags TEXT NOT NULL',
    'monitoring TEXT NOT NULL',
    'time INTEGER NOT NULL',
    'observed INTEGER NOT NULL',
    'is_observed INTEGER NOT NULL',
  ],
  schema: `
  CREATE INDEX sut_listed ON sut (created, sut_type, is_active, folded_name, tags, monitoring, ended, until) WHERE ${LISTED};
  CREATE INDEX sut_former ON sut (created, until, sut_type, is_active, folded_name, tags, monitoring, ended) WHERE ${FORMER};`,
}

const nothing = (): void => undefined

export const makeSutWriter = (periods: TimeIndex): ListWriter => ({
  enter: ({ position, columns, observed = 0, isObserved = false }) => {
    const [sut_type, is_active, name, tags, monitoring, time] = columns as SutColumns
    periods.note(position, time)
    return [sut_type, is_active ? 1 : 0, name, tags, monitoring, time, observed, isObserved ? 1 : 0]
  },
  leave: nothing,
  flush: nothing,
  forget: nothing,
})
