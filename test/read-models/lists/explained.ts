import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { makeRunQuery, type RunQuery } from '../../../src/files/sqlite.ts'

/** Runs queries, and keeps the lines of their plans. */
export const explained = (db: DatabaseSync) => {
  const lines: string[] = []
  const ask = makeRunQuery(db)
  const run: RunQuery = <A>(sql: string, ...values: readonly SQLInputValue[]) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
    lines.push(...plan.map(({ detail }) => String(detail)))
    return ask<A>(sql, ...values)
  }
  return { run, lines }
}
