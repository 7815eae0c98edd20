import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Table } from '../../../projections/projection.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { makeRunQuery, prepareArrays, type RunQuery, readRow } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'

export interface PageQuery {
  readonly limit: number
  readonly offset: number
  /** Only objects created before the one whose first version is at this position. */
  readonly createdBefore?: PublicPosition | undefined
  /** The list as of the event at this position; absent as of now. */
  readonly asOf?: PublicPosition | undefined
  /** Whether the page has only the positions of its rows. What is stored at one never changes, and may be read later. */
  readonly asPositions?: boolean
}

export interface ListRows<Details = object> {
  /** JSON texts. */
  readonly documents: readonly string[]
  /** What the query asks for beside each document. */
  readonly details?: readonly Details[]
}

/** A page of a list, newest created first. */
export interface ListPage<Details = object> extends ListRows<Details> {
  /** The number of matches, regardless of the page. */
  readonly count: number
  /** In place of documents, if the query asks for them. */
  readonly positions?: readonly PublicPosition[]
}

/** A part of an SQL statement, such as a condition, and the values of its placeholders. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

export const condition = (sql: string, ...values: readonly SQLInputValue[]): Condition => ({ sql, values })

/** No condition for a value that is not given. */
export const optional = (sql: string, value: SQLInputValue | undefined): readonly Condition[] =>
  value === undefined ? [] : [condition(sql, value)]

/** Whether a column has one of these values. Their number does not change the statement. */
export const columnIn = (column: string, values: readonly string[] | undefined): readonly Condition[] => {
  if (values === undefined) return []
  return values.length === 1
    ? [condition(`${column} = ?`, values[0] as string)]
    : [condition(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values))]
}

/** Conditions that hold together, after AND. */
export const and = (conditions: readonly Condition[]): Condition =>
  condition(conditions.map(({ sql }) => ` AND ${sql}`).join(''), ...conditions.flatMap(({ values }) => values))

/** Counts that are kept, of as many combinations of filters and their values. */
const COUNTS_MAX = 200

export interface Reads {
  readonly ask: RunQuery
  readonly count: (rows: Condition) => number
}

/**
 * Counts rows, and keeps the counts until the file changes: a count visits all of the index, which may be a million rows,
 * and the pages of a list, or those who look at it again and again, ask for the same one. Only committed rows are listed.
 */
export const makeReads = (db: DatabaseSync, ask: RunQuery = makeRunQuery(db)): Reads => {
  const counts = new LRUCache<string, number>({ max: COUNTS_MAX })
  // The first changes with writes of other connections, the second with this one's.
  const change = prepareArrays<readonly [number, number]>(
    db,
    'SELECT data_version, total_changes() FROM pragma_data_version',
  )
  let countedAt = ''
  return {
    ask,
    count: ({ sql, values }) => {
      const now = readRow(change).join()
      if (now !== countedAt) counts.clear()
      countedAt = now
      const key = JSON.stringify([sql, values])
      const known = counts.get(key) ?? ask<{ n: number }>(`SELECT count(*) AS n FROM (${sql})`, ...values)[0]?.n ?? 0
      counts.set(key, known)
      return known
    },
  }
}

/**
 * Selects the position and creation of rows that meet conditions: of current versions, or of those that were current as of
 * a position, of which some have been replaced since.
 */
const select = (table: string, filters: readonly Condition[], asOf: PublicPosition | undefined): Condition => {
  const where = and(filters)
  const of = (versions: string) => `SELECT position, created FROM ${table} WHERE ${versions}${where.sql}`
  if (asOf === undefined) return condition(of(CURRENT), ...where.values)
  // With a plus, a position is no key by which to search: there would be more to read than by the index of versions.
  const current = condition(of(`${CURRENT} AND +position <= ?`), asOf, ...where.values)
  const former = condition(of('until > ? AND +position <= ?'), asOf, asOf, ...where.values)
  return condition(`${current.sql} UNION ALL ${former.sql}`, ...current.values, ...former.values)
}

export interface List<Query extends PageQuery> {
  readonly table: Table
  readonly filters: (query: Query, ask: RunQuery) => readonly Condition[]
  /** Further columns of a row `d` that the query asks for. */
  readonly details?: (query: Query) => Condition | undefined
  /** Whether the filters leave so few rows that sorting these is cheaper than to look at all in order. */
  readonly isNarrow?: (query: Query) => boolean
}

/** Makes the function that reads the rows of a list at some positions. */
const makeRows =
  <Query extends PageQuery, Details = object>(ask: RunQuery, { table, details }: List<Query>) =>
  (query: Query, positions: readonly PublicPosition[]): ListRows<Details> => {
    const more = details?.(query)
    const columns = ['d.document', ...(more === undefined ? [] : [more.sql])]
    const rows = ask<Details & { readonly document: string }>(
      `SELECT ${columns} FROM json_each(?) AS page CROSS JOIN ${table} d WHERE d.position = page.value ORDER BY page.key`,
      ...(more?.values ?? []),
      JSON.stringify(positions),
    )
    return {
      documents: rows.map(({ document }) => document),
      ...(more !== undefined && { details: rows.map(({ document: _, ...row }) => row as Details) }),
    }
  }

/** Makes the functions that read a page of a list, newest created first, with the count of all of it, and its rows. */
export const makeList = <Query extends PageQuery, Details = object>({ ask, count }: Reads, list: List<Query>) => {
  const { table, filters, isNarrow } = list
  const rowsAt = makeRows<Query, Details>(ask, list)
  const page = (query: Query): ListPage<Details> => {
    const { limit, offset, createdBefore, asOf, asPositions = false } = query
    const all = filters(query, ask)
    const some = select(table, [...all, ...optional('created < ?', createdBefore)], asOf)
    const positions = ask<{ readonly position: PublicPosition }>(
      `SELECT position FROM (${some.sql}) ORDER BY ${isNarrow?.(query) ? '+created' : 'created'} DESC LIMIT ? OFFSET ?`,
      ...[...some.values, limit, offset],
    ).map(({ position }) => position)
    const isAll = offset === 0 && createdBefore === undefined && positions.length < limit
    return {
      count: isAll ? positions.length : count(select(table, all, asOf)),
      ...(asPositions ? { documents: [], positions } : rowsAt(query, positions)),
    }
  }
  return { page, rowsAt }
}
