/** The views cannot be used: made by another version, for other projections, or damaged. */
export class UnusableViews extends Error {
  override name = 'UnusableViews'
}

/** The primary result code of a SQLite error. */
const sqliteCode = (error: unknown): number => ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff

/** SQLITE_CORRUPT and SQLITE_NOTADB: the file does not contain what was written. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(sqliteCode(error))

/** Whether a rebuild helps. SQLITE_ERROR: tables are missing or have another shape. */
export const isRebuildable = ({ cause }: UnusableViews): boolean =>
  cause === undefined || isDamage(cause) || sqliteCode(cause) === 1
