import type { CallFailure } from '../service/call.ts'
import type { CsvRow } from './csv.ts'

/** How messages name a field of a row. */
export const describeField = ({ line }: CsvRow, column: string, detail: string): string =>
  `line ${line}, column ${column}: ${detail}`

/** Why the service refused rows, with the line and the column of each problem. */
export const refusedRows = (
  { why, errors = [] }: CallFailure,
  rows: readonly CsvRow[],
  columnOf: (member: string) => string,
): readonly string[] => [
  why,
  ...errors.flatMap(({ pointer = '', detail }) => {
    const [, n, member = ''] = /^#\/\w+\/(\d+)\/?(.*)$/.exec(pointer) ?? []
    const row = rows[Number(n)]
    const inLines = detail.replace(/(?:suts|users)\/(\d+)/, (_, other) => `line ${rows[Number(other)]?.line}`)
    return row === undefined ? [] : [describeField(row, columnOf(member), inLines)]
  }),
]
