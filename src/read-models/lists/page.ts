import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { PublicPosition } from '../../domain/values/position.ts'
import { makeRunQuery, prepareArrays, type RunQuery, readRow } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'

/** A page of a list. */
export interface PageQuery {
  readonly limit: number
  readonly offset: number
  /** Only objects created before the one whose first version is at this position. */
  readonly createdBefore?: PublicPosition | undefined
  /** The list as of the event at this position; absent as of now. */
  readonly asOf?: PublicPosition | undefined
  /** Whether the page has the positions of its rows in place of their documents. */
  readonly asPositions?: boolean
}

/** Documents as JSON texts, newest created first. */
export interface ListPage {
  readonly documents: readonly string[]
  /** The number of matches, regardless of the page. */
  readonly count: number
  /** The positions of the rows, if the query asks for them. */
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

/** What the lists ask of a file. */
export interface Reads {
  readonly ask: RunQuery
  readonly count: (rows: Condition) => number
}

/**
 * Counts rows, and keeps the counts until the file changes: a count visits all of the index, which may be a million rows,
 * and the pages of a list, or those who look at it again and again, ask for the same one.
 */
export const makeReads = (db: DatabaseSync, ask: RunQuery = makeRunQuery(db)): Reads & { forget: () => void } => {
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
    const counted = ask<{ n: number }>(`SELECT count(*) AS n FROM (${sql})`, ...values)[0]?.n ?? 0
    counts.set(key, counted)
    return counted
  }
  return {
    ask,
    count,
    /** Called after a failed transaction, in which rows may have been counted. */
    forget: () => counts.clear(),
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

/**
 * Reads a page of a list, newest created first, and counts all of it.
 *
 * @param columns what to select of each row `d`
 * @param isNarrow whether the filters leave so few rows that sorting these is cheaper than to look at all in order
 */
export const readPage = <Row>(
  { ask, count }: Reads,
  table: string,
  filters: readonly Condition[],
  columns: Condition,
  { limit, offset, createdBefore, asOf }: PageQuery,
  isNarrow = false,
): { readonly rows: readonly Row[]; readonly count: number } => {
  const { sql, values } = select(table, [...filters, ...optional('created < ?', createdBefore)], asOf)
  const order = isNarrow ? '+created' : 'created'
  const rows = ask<Row>(
    `SELECT ${columns.sql} FROM (SELECT position, created FROM (${sql}) ORDER BY ${order} DESC LIMIT ? OFFSET ?) AS page
     CROSS JOIN ${table} d WHERE d.position = page.position ORDER BY page.created DESC`,
    ...[...columns.values, ...values, limit, offset],
  )
  const isAll = offset === 0 && createdBefore === undefined && rows.length < limit
  return { rows, count: isAll ? rows.length : count(select(table, filters, asOf)) }
}

/** The columns of a page of documents, or of the positions of its rows. */
export const columnsOf = ({ asPositions = false }: PageQuery): Condition =>
  condition(asPositions ? 'd.position' : 'd.document')

export interface PageRow {
  readonly document: string
  readonly position: PublicPosition
}

export const pageOf = (
  { rows, count }: { readonly rows: readonly PageRow[]; readonly count: number },
  { asPositions = false }: PageQuery,
): ListPage =>
  asPositions
    ? { documents: [], count, positions: rows.map(({ position }) => position) }
    : { documents: rows.map(({ document }) => document), count }
