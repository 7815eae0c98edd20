import type { DatabaseSync } from 'node:sqlite'
import type { SutColumns } from '../../../projections/sut.ts'
import type { SutDisplayColumns } from '../../../projections/sut-display.ts'
import { prepare } from '../../files/sqlite.ts'
import type { IdKeys } from './id-keys.ts'
import type { ListTable } from './list-table.ts'

/** Rows that lists show: neither former versions nor retired SUTs. */
export const SUT_LISTED = 'until IS NULL AND ended IS NULL'
/** The last rows of retired SUTs. */
export const RETIRED = 'until IS NULL AND ended IS NOT NULL'
/** Rows that lists showed before a newer version. */
const SUT_FORMER = 'until IS NOT NULL'

/** The tags that every SUT has now, retired ones too, so that lists find the SUTs of a scope. */
const TAG_SCHEMA = `
  CREATE TABLE sut_tag (sut INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (sut, name))
    STRICT, WITHOUT ROWID;
  CREATE INDEX sut_by_tag ON sut_tag (name, value, sut);`

// At most as many SUTs are in use as there are ports, so one index with all filter columns is enough. Another thread
// reads the retired ones.
export const sutTable: ListTable = {
  hasObserved: true,
  columns: [
    'sut_type TEXT NOT NULL',
    'is_active INTEGER NOT NULL',
    'folded_name TEXT NOT NULL',
    'tags TEXT NOT NULL',
    'monitoring TEXT NOT NULL',
    'observed INTEGER NOT NULL',
    'is_observed INTEGER NOT NULL',
  ],
  schema: `
  CREATE INDEX sut_listed ON sut (created, sut_type, is_active, folded_name, tags, monitoring, id, ended, until) WHERE ${SUT_LISTED};
  CREATE INDEX sut_retired ON sut (created, sut_type, is_active, folded_name, tags, monitoring, ended, until) WHERE ${RETIRED};
  CREATE INDEX sut_former ON sut (created, until, sut_type, is_active, folded_name, tags, monitoring, ended) WHERE ${SUT_FORMER};
  ${TAG_SCHEMA}`,
  makeWriter: ({ db, names }) => {
    const writeTags = makeTagWriter(db, names)
    return {
      enter: ({ id, columns, observed = 0, isObserved = false }) => {
        const [sut_type, is_active, name, tags, monitoring] = columns as SutColumns
        // What probes find changes no tags.
        if (!isObserved) writeTags(id, tags)
        return [sut_type, Number(is_active), name, tags, monitoring, observed, Number(isObserved)]
      },
    }
  },
}

interface Tag {
  readonly name: string
  readonly value: string
}

/** Returns a function that stores the tags of a SUT, given as JSON text. Most events of a SUT change none. */
const makeTagWriter = (db: DatabaseSync, names: IdKeys): ((id: string, tags: string) => void) => {
  const select = prepare<Tag>(db, 'SELECT name, value FROM sut_tag WHERE sut = ?')
  const remove = db.prepare('DELETE FROM sut_tag WHERE sut = ? AND name = ?')
  const put = db.prepare('INSERT INTO sut_tag VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
  return (id, text) => {
    const tags = new Map(Object.entries(JSON.parse(text) as Record<string, string>))
    const sut = tags.size === 0 ? names.find(id) : names.keyOf(id)
    if (sut === undefined) return
    const former = new Map(select.all(sut).map(({ name, value }) => [name, value]))
    for (const name of former.keys()) if (!tags.has(name)) remove.run(sut, name)
    for (const [name, value] of tags) if (former.get(name) !== value) put.run(sut, name, value)
  }
}

/** Rows of SUTs that have a turnaround now. */
export const TURNAROUND = 'until IS NULL AND turnaround > 0'

export const sutDisplayTable: ListTable = {
  columns: ['turnaround INTEGER NOT NULL'],
  schema: `
  CREATE INDEX turnaround_longest ON sut_display (turnaround, until) WHERE ${TURNAROUND};
  CREATE INDEX turnaround_by_sut ON sut_display (id, turnaround, until) WHERE ${TURNAROUND};`,
  makeWriter: () => ({ enter: ({ columns }) => columns as SutDisplayColumns }),
}

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
