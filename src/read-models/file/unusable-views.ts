import { ExpectedError } from '../../files/expected-error.ts'
import { SQLITE, sqliteCode } from '../../files/sqlite.ts'

/** The views cannot be used: made by another version, for other projections, or damaged. */
export class UnusableViews extends ExpectedError {}

const damage: readonly (number | undefined)[] = [SQLITE.corrupt, SQLITE.notADatabase]

/** Whether the file does not contain what was written. */
export const isDamage = (error: unknown): boolean => damage.includes(sqliteCode(error))

/** Whether a rebuild helps, as it does if tables are missing or have another shape (SQLITE_ERROR). */
export const isRebuildable = ({ cause }: UnusableViews): boolean =>
  cause === undefined || isDamage(cause) || sqliteCode(cause) === SQLITE.error
