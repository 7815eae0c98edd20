import type { DatabaseSync } from 'node:sqlite'
import type { ClockCorrection } from '../../../projections/clock-correction.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Row } from './row.ts'
import type { TimeIndex } from './time-index.ts'

/** The tables whose rows hold recording times. */
const TIMED = ['sut', 'reservation', 'sut_status']

export interface CorrectedTimes {
  /** @param rows only corrections among them matter */
  readonly correct: (rows: readonly Row[]) => void
  /** Called after a failed transaction: nothing has been corrected. */
  readonly forget: () => void
}

/**
 * Replaces wrong recording times in a span of positions by the corrected one, so that reads as of a time and lists of
 * outages find these rows. Rows of the span must be in their tables. Every stream of a correction names the same span; it is processed
 * once.
 */
export const makeCorrectedTimes = (db: DatabaseSync, periods: TimeIndex): CorrectedTimes => {
  const updates = TIMED.map((table) => db.prepare(`UPDATE ${table} SET time = ? WHERE position BETWEEN ? AND ?`))
  let done: string | undefined
  const correct = (document: string): void => {
    const { from, to, time } = JSON.parse(document) as ClockCorrection
    for (const update of updates) update.run(epochMillisecondsOf(time), from, to)
    periods.measure(from, to)
    done = document
  }
  return {
    correct: (rows) => {
      for (const { projection, version } of rows) {
        if (projection === 'clock_correction' && version.document !== done) correct(version.document)
      }
    },
    forget: () => {
      done = undefined
    },
  }
}
