import type { SQLInputValue } from 'node:sqlite'
import type { RunQuery } from '../../files/sqlite.ts'

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

export const countRows = (ask: RunQuery, { sql, values }: Condition): number =>
  ask<{ n: number }>(`SELECT count(*) AS n ${sql}`, ...values)[0]?.n ?? 0
