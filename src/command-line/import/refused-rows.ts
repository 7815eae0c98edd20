import { CallFailure } from '../service/call.ts'
import { CommandFailure } from '../terminal/command.ts'
import type { CsvRow } from './csv.ts'

/** How messages name a field of a row. */
export const describeField = ({ line }: CsvRow, column: string, detail: string): string =>
  `line ${line}, column ${column}: ${detail}`

/**
 * Explains why the service refused rows, with the line and the column of each problem.
 *
 * @param columnOf the column of a member of a row, as the service names it
 * @throws CommandFailure
 */
export const explainRows =
  (rows: readonly CsvRow[], columnOf: (member: string) => string, more: readonly string[] = []) =>
  (failure: unknown): never => {
    if (!(failure instanceof CallFailure)) throw failure
    const problems = (failure.errors ?? []).flatMap(({ pointer = '', detail }) => {
      const [, n, member = ''] = /^#\/\w+\/(\d+)\/?(.*)$/.exec(pointer) ?? []
      const row = rows[Number(n)]
      const inLines = detail.replace(/(?:suts|users)\/(\d+)/, (_, other) => `line ${rows[Number(other)]?.line}`)
      return row === undefined ? [] : [describeField(row, columnOf(member), inLines)]
    })
    throw new CommandFailure([failure.why, ...problems, ...more])
  }
