import type { DatabaseSync } from 'node:sqlite'
import type { ClockCorrection } from '../../projections/clock-correction.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { PublicPosition } from '../domain/values/position.ts'

/** A row that the views have written, of any table. */
interface Written {
  readonly projection?: string
  readonly version?: { readonly position: PublicPosition; readonly document: string }
}

/**
 * Returns the function that replaces the recording times of a corrected span, so that reads as of a time and lists of
 * outages find its rows. They must be in their tables, and the corrections among the rows given too. Every stream of a
 * correction names the same span, which is written once.
 *
 * @param setTimes gives all rows of a span of positions another time, in Unix milliseconds
 */
export const makeCorrectTimes = (
  db: DatabaseSync,
  setTimes: (from: number, to: number, time: number) => void,
): ((rows: readonly Written[]) => void) => {
  const former = db.prepare('SELECT document FROM clock_correction WHERE position < ? ORDER BY position DESC LIMIT 1')
  return (rows) => {
    for (const { projection, version } of rows) {
      if (projection !== 'clock_correction' || version === undefined) continue
      if (former.get(version.position)?.document === version.document) continue
      const { from, to, time } = JSON.parse(version.document) as ClockCorrection
      setTimes(from, to, epochMillisecondsOf(time))
    }
  }
}
