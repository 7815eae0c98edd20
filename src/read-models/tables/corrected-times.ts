import type { DatabaseSync } from 'node:sqlite'
import type { ClockCorrection } from '../../../projections/clock-correction.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import type { Row } from './row.ts'
import type { TimeIndex } from './time-index.ts'

/** The tables whose rows say when they were recorded. */
const TIMED = ['sut', 'reservation']

export interface CorrectedTimes {
  /** @param rows those of corrections among them count */
  readonly correct: (rows: readonly Row[]) => void
  /** After a transaction that failed: nothing has been corrected. */
  readonly forget: () => void
}

/**
 * Puts the time that counts in place of the wrong ones of a span, so that reads as of a time find its rows by it. Rows of
 * the span must be in their tables. Every stream of a correction names the same span, which is done once.
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
