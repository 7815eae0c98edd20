import type { DatabaseSync } from 'node:sqlite'
import type { RetryKey } from '../../../projections/retry-key.ts'
import { prepare } from '../../files/sqlite.ts'
import { makeInsertion } from './insertion.ts'
import { RETRY_KEY_TABLES } from './schema.ts'
import type { Version } from './version.ts'
import type { VersionTable } from './versions.ts'

/** Of the keys in one table. */
const PERIOD_MS = 12 * 3_600_000

const COLUMNS = `position, revision, id, '{}' AS document, internal, NULL AS ended, position AS created, 0 AS observed`

/** The index of the table for a period that none has yet: an empty one, or that of the period farthest from it. */
const tableFor = (period: number, periods: readonly (number | undefined)[]): number => {
  const distances = periods.map((other) => (other === undefined ? Number.POSITIVE_INFINITY : Math.abs(period - other)))
  return distances.indexOf(Math.max(...distances))
}

/**
 * Retry keys. Keys are random, so an index over all of them would dirty a page for each. Each table has
 * those of twelve hours, and is emptied as a whole when another period needs it: that of the oldest keys, or of keys
 * that a wrong clock recorded in a far future.
 */
export const makeRetryKeyTable = (db: DatabaseSync): VersionTable => {
  const tables = RETRY_KEY_TABLES.map((name) => ({
    ...makeInsertion(db, name, ['position', 'revision', 'id', 'internal', 'time']),
    anyTime: prepare<{ time: number }>(db, `SELECT time FROM ${name} LIMIT 1`),
    empty: db.prepare(`DELETE FROM ${name}`),
  }))
  const each = RETRY_KEY_TABLES.map((name) => `SELECT ${COLUMNS} FROM ${name} WHERE id = :id`).join(' UNION ALL ')
  const select = prepare<Version>(db, `${each} ORDER BY position DESC LIMIT 1`)
  /** The period of each table, known between the first row and `flush`: another connection may write after that. */
  let periods: (number | undefined)[] | undefined

  const readPeriods = (): (number | undefined)[] =>
    tables.map(({ anyTime }) => {
      const row = anyTime.get()
      return row && Math.floor(row.time / PERIOD_MS)
    })

  const newest = (id: string): Version | undefined => select.get({ id })

  return {
    insert: ({ position, revision, id, internal }) => {
      const { time } = JSON.parse(internal) as RetryKey
      const period = Math.floor(time / PERIOD_MS)
      periods ??= readPeriods()
      let at = periods.indexOf(period)
      if (at === -1) {
        at = tableFor(period, periods)
        tables[at]?.flush()
        tables[at]?.empty.run()
        periods[at] = period
      }
      tables[at]?.add([position, revision, id, internal, time])
    },
    flush: () => {
      for (const { flush } of tables) flush()
      periods = undefined
    },
    forget: () => {
      for (const { forget } of tables) forget()
      periods = undefined
    },
    newest,
    asOf: (id, revision) => {
      const version = newest(id)
      return version !== undefined && version.revision <= revision ? version : undefined
    },
  }
}
