import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { getSQLiteEventStore } from '@event-driven-io/emmett-sqlite'

type Connection = NonNullable<NonNullable<Parameters<typeof getSQLiteEventStore>[0]['connectionOptions']>['connection']>

/** Converts as the driver does. Emmett relies on it: without a partition it binds an object as its name. */
const bindable = (value: unknown): SQLInputValue => {
  if (typeof value === 'boolean') return Number(value)
  return (typeof value === 'object' && value !== null ? String(value) : value) as SQLInputValue
}

/**
 * A connection for emmett-sqlite over Node's own SQLite, because its driver, sqlite3, needs an install script. Unlike the
 * driver's connections it stays open and caches statements, which only helps Emmett. It also uses WAL and a sync at every
 * commit. Commands must run one at a time.
 */
export const connectionOver = (fileName: string): Connection => {
  const database = new DatabaseSync(fileName)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const bound = (values: unknown[] = []): SQLInputValue[] => values.map(bindable)
  let depth = 0
  const withTransaction = async <A>(work: () => Promise<A>): Promise<A> => {
    if (depth === 0) prepared('BEGIN IMMEDIATE').run()
    depth++
    try {
      const done = await work()
      if (depth === 1) prepared('COMMIT').run()
      return done
    } catch (error) {
      if (depth === 1 && database.isTransaction) prepared('ROLLBACK').run()
      throw error
    } finally {
      depth--
    }
  }
  return {
    close: () => database.close(),
    command: async (sql, values) => {
      prepared(sql).run(...bound(values))
    },
    batchCommand: async (batch) => {
      for (const sql of batch) database.exec(sql)
    },
    query: async <A>(sql: string, values?: unknown[]) => prepared(sql).all(...bound(values)) as A[],
    querySingle: async <A>(sql: string, values?: unknown[]) =>
      (prepared(sql).get(...bound(values)) ?? null) as A | null,
    withTransaction,
  }
}
