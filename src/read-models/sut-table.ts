import type { SutColumns } from '../../projections/sut.ts'
import type { ListColumns, ListWriter } from './list-table.ts'

/** What lists have: neither former versions nor what was retired. */
export const LISTED = 'until IS NULL AND ended IS NULL'

// There are no more SUTs in use than ports for them: one index that holds all that they are filtered by is enough.
export const sutColumns: ListColumns = {
  columns: ['sut_type TEXT NOT NULL', 'is_active INTEGER NOT NULL', 'folded_name TEXT NOT NULL', 'tags TEXT NOT NULL'],
  schema: `
  CREATE INDEX sut_listed ON sut (created, sut_type, is_active, folded_name, tags, ended, until) WHERE ${LISTED};`,
}

const nothing = (): void => undefined

export const sutWriter: ListWriter = {
  enter: ({ columns }) => {
    const { sut_type, is_active, name, tags } = columns as SutColumns
    return [sut_type, is_active ? 1 : 0, name, tags]
  },
  leave: nothing,
  flush: nothing,
  forget: nothing,
}
