import type { DatabaseSync } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare, readRow } from '../../files/sqlite.ts'

/** Positions that share an entry with their earliest and latest time. */
const PERIOD = 1_024

export const TIME_INDEX_SCHEMA = `
  CREATE TABLE period (n INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL) STRICT;`

/**
 * A past moment as rows are compared with it. Clocks of instances differ, so times are not ordered along the log. But
 * far enough from the moment, everything recorded is on one side of it.
 */
export interface Moment {
  /** Everything up to this position was recorded by the moment. */
  readonly sure: number
  /** Nothing from this position on was recorded by the moment. */
  readonly none: number
  /** Unix milliseconds. Between the two positions, rows recorded at or before this time count. */
  readonly time: number
}

/** The moment after the event at a position, independent of clocks. */
export const momentAfter = (position: PublicPosition): Moment => ({ sure: position, none: position + 1, time: 0 })

/** The earliest and latest recording times of position ranges. */
export interface TimeIndex {
  readonly note: (position: PublicPosition, time: number) => void
  /** Writes buffered changes. */
  readonly flush: () => void
  /** Called after a failed transaction: discards buffered changes. */
  readonly forget: () => void
  /** The moment at a Unix time in milliseconds, in a log that ends at the position `last`. */
  readonly momentAt: (time: number, last: number) => Moment
}

interface Period {
  readonly n: number | null
}

export const makeTimeIndex = (db: DatabaseSync): TimeIndex => {
  const noted = new Map<number, { earliest: number; latest: number }>()
  const widen = db.prepare(`INSERT INTO period VALUES (?, ?, ?) ON CONFLICT DO UPDATE
    SET earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)`)
  const firstWithLater = prepare<Period>(db, 'SELECT min(n) AS n FROM period WHERE latest > ?')
  const lastWithEarlier = prepare<Period>(db, 'SELECT max(n) AS n FROM period WHERE earliest <= ?')
  const flush = (): void => {
    for (const [n, { earliest, latest }] of noted) widen.run(n, earliest, latest)
    noted.clear()
  }
  return {
    note: (position, time) => {
      const n = Math.floor(position / PERIOD)
      const period = noted.get(n)
      if (period === undefined) noted.set(n, { earliest: time, latest: time })
      else {
        period.earliest = Math.min(period.earliest, time)
        period.latest = Math.max(period.latest, time)
      }
    },
    flush,
    forget: () => noted.clear(),
    momentAt: (time, last) => {
      const later = readRow(firstWithLater, time).n
      const earlier = readRow(lastWithEarlier, time).n
      return {
        sure: later === null ? last : Math.min(later * PERIOD - 1, last),
        none: earlier === null ? 0 : Math.min((earlier + 1) * PERIOD, last + 1),
        time,
      }
    },
  }
}
