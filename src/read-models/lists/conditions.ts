import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { makeRunQuery, prepareArrays, type RunQuery, readRow } from '../../files/sqlite.ts'

/** A part of an SQL statement, such as a condition, and the values of its placeholders. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export const condition = (sql: string, ...values: readonly SQLInputValue[]): Condition => ({ sql, values })

/** No condition for a value that is not given. */
export const optional = (sql: string, value: SQLInputValue | undefined): readonly Condition[] =>
  value === undefined ? [] : [condition(sql, value)]

/** Whether a column has one of these integers. Their number does not change the statement. */
export const columnIn = (column: string, values: readonly number[]): Condition =>
  values.length === 1
    ? condition(`${column} = ?`, values[0] as number)
    : condition(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values))

/** The rows of a table that meet conditions, of which there is at least one: `FROM … WHERE …`. */
export const rowsFrom = (table: string, conditions: readonly Condition[]): Condition =>
  condition(
    `FROM ${table} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    ...conditions.flatMap(({ values }) => values),
  )

/** Counts that are kept, of as many combinations of filters and their values. */
const COUNTS_MAX = 200

/** What the lists ask of a file. */
export interface Reads {
  readonly ask: RunQuery
  /** Counts the rows that meet conditions. */
  readonly count: (matching: Condition) => number
}

/**
 * Counts rows, and keeps the counts until the file changes: a count visits all of the index, which may be a million rows,
 * and the pages of a list, or those who look at it again and again, ask for the same one.
 */
export const makeReads = (
  db: DatabaseSync,
  ask: RunQuery = makeRunQuery(db),
): Reads & {
  /** Called after a failed transaction, in which rows may have been counted. */
  readonly forget: () => void
} => {
  const counts = new LRUCache<string, number>({ max: COUNTS_MAX })
  // The first changes with writes of other connections, the second with this one's.
  const change = prepareArrays<readonly [number, number]>(
    db,
    'SELECT data_version, total_changes() FROM pragma_data_version',
  )
  let countedAt = ''
  const count: Reads['count'] = ({ sql, values }) => {
    const now = readRow(change).join()
    if (now !== countedAt) counts.clear()
    countedAt = now
    const key = JSON.stringify([sql, values])
    const known = counts.get(key)
    if (known !== undefined) return known
    const counted = ask<{ n: number }>(`SELECT count(*) AS n ${sql}`, ...values)[0]?.n ?? 0
    counts.set(key, counted)
    return counted
  }
  return { ask, count, forget: () => counts.clear() }
}
