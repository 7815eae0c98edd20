import type { SQLInputValue } from 'node:sqlite'

/** An SQL condition and the values of its placeholders. */
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

export const valuesOf = (conditions: readonly Condition[]): readonly SQLInputValue[] =>
  conditions.flatMap(({ values }) => values)

/** Entries of an index that can be read within a few milliseconds, or sorted. */
export const SHORT = 10_000
