import { DuckDBInstance } from '@duckdb/node-api'
import type { Tidying } from '../http/harness.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** DuckDB in memory, in UTC. Rows are as in JSON. */
export const openDuckDb = async (t: Tidying) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  t.teardown(() => {
    connection.closeSync()
    instance.closeSync()
  })
  await connection.run("SET TimeZone = 'UTC'")
  return async (sql: string): Promise<Rows> => (await connection.runAndReadAll(sql)).getRowObjectsJson() as Rows
}
