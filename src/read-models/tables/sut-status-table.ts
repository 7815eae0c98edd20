import type { ListTable } from './list-table.ts'

/** Rows whose status was another before. */
export const BEGAN = 'began = 1'

// Only here are a version and the one before it at hand.
const CONTINUE = `UPDATE sut_status SET began = 0 FROM sut_status AS former
  WHERE former.position = ? AND sut_status.position = ? AND former.status = sut_status.status`

/** What was known of SUTs, and since when. */
export const sutStatusTable: ListTable = {
  columns: ['status TEXT NOT NULL', 'cause TEXT NOT NULL', 'time INTEGER NOT NULL', 'began INTEGER NOT NULL'],
  schema: `
  CREATE INDEX sut_status_began ON sut_status (id, time, position, status, cause) WHERE ${BEGAN};`,
  makeWriter: ({ db }) => {
    const continues = db.prepare(CONTINUE)
    return {
      enter: ({ columns }) => [...(columns as readonly (string | number)[]), 1],
      leave: (position, by) => void continues.run(position, by),
    }
  },
}
