import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
export const SQLITE = {
  error: 1,
  busy: 5,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const

/** Primary result code of a SQLite error; undefined for other errors. */
export const sqliteCode = (error: unknown): number | undefined => {
  const { errcode } = (error ?? {}) as { readonly errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

/** Path of SQLite's write-ahead log. */
export const walPath = (file: string): string => `${file}-wal`

type Values = readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[]

/** A prepared read whose rows have a known shape. */
export interface Select<Row> {
  readonly get: (...values: Values) => Row | undefined
  readonly all: (...values: Values) => Row[]
  readonly iterate: (...values: Values) => Iterable<Row>
}

/** Only the text of a statement says which columns a row has: this is where rows get their type. */
const typed = <Row>(statement: StatementSync): Select<Row> => statement as unknown as Select<Row>

/** Prepares a read. Its rows are objects without a prototype. */
export const prepare = <Row extends object>(db: DatabaseSync, sql: string): Select<Row> => typed(db.prepare(sql))

/** Prepares a read whose rows are arrays, which cost less. */
export const prepareArrays = <Row extends readonly unknown[]>(db: DatabaseSync, sql: string): Select<Row> => {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return typed(statement)
}

/** The row of a read that always has one, such as of a count. */
export const readRow = <Row>(read: Select<Row>, ...values: Values): Row => {
  const row = read.get(...values)
  if (row === undefined) throw new Error('a read that always has a row has none')
  return row
}

/** Prepared statements kept: each combination of filters has its own. */
const STATEMENTS_MAX = 200

/** Runs statements whose text depends on the query. */
export const makeRunQuery = (db: DatabaseSync) => {
  const statements = new LRUCache<string, Select<object>>({ max: STATEMENTS_MAX })
  return <A>(sql: string, ...values: readonly SQLInputValue[]): readonly A[] => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = prepare<object>(db, sql)
      statements.set(sql, statement)
    }
    return statement.all(...values) as A[]
  }
}
export type RunQuery = ReturnType<typeof makeRunQuery>
