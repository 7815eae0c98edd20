import type { DatabaseSync } from 'node:sqlite'
import { prepare, readRow } from '../../files/sqlite.ts'

const DAY = 86_400

/** The day of a moment given in Unix seconds, counted from the Unix epoch. */
export const dayOf = (moment: number): number => Math.floor(moment / DAY)

/** The first second of a day. */
export const startOfDay = (day: number): number => day * DAY

/**
 * What is counted: reservations by SUT, by user, by start day and by end day; and for each SUT the events of
 * reservations beyond one for each listed reservation. Most SUTs have none of the latter.
 */
const KINDS = ['sut', 'user', 'start_day', 'end_day', 'sut_further_events'] as const
type Kind = (typeof KINDS)[number]

const tableOf = (kind: Kind): string => `reservation_count_${kind}`

// Rows with integer keys and constant length are updated in place. This costs a third of a single table whose key
// begins with the kind.
export const RESERVATION_COUNTS_SCHEMA = `
  ${KINDS.map((kind) => `CREATE TABLE ${tableOf(kind)} (key INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;`).join('\n  ')}
  CREATE TABLE reservation_total (what TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;`

/** The tables, and the column that orders each. */
export const RESERVATION_COUNTS_TABLES: readonly (readonly [table: string, order: string])[] = [
  ...KINDS.map((kind) => [tableOf(kind), 'key'] as const),
  ['reservation_total', 'what'],
]

/** A reservation as lists filter it: keys for SUT and user, Unix seconds for start and end. */
export interface CountedReservation {
  readonly sut: number
  readonly user: number
  readonly starts: number
  readonly ends: number
}

/** The change of each key's count. */
type Changes = Map<number, { by: number }>

/** Counts of listed reservations, in all and by kind, for when counting would read every row. */
export interface ReservationCounts {
  /** Notes an event after which a reservation is listed. */
  readonly listed: (reservation: CountedReservation) => void
  /** Notes an event of a reservation that leaves no listed row. */
  readonly furtherEvent: (sut: number) => void
  /** Notes that an event has replaced one with which a reservation was listed. */
  readonly replaced: (reservation: CountedReservation) => void
  /** Writes buffered changes. */
  readonly flush: () => void
  /** Called after a failed transaction: discards buffered changes. */
  readonly forget: () => void
  readonly all: () => number
  readonly of: (kind: 'sut' | 'user', key: number) => number
  readonly ofSuts: (suts: readonly number[]) => number
  /** The number of events of a SUT's reservations. */
  readonly eventsOf: (sut: number) => number
  /** Reservations that start, or end, on one of the days. */
  readonly onDays: (kind: 'start_day' | 'end_day', first: number, last: number) => number
  /** The number of segments, each of which a read searches. */
  readonly segments: () => number
  /** Seconds of the longest reservation ever: anything that overlaps a span ends at most this long after its end. */
  readonly longest: () => number
}

const makeCounter = (db: DatabaseSync, kind: Kind) => {
  const table = tableOf(kind)
  const changes: Changes = new Map()
  const add = db.prepare(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n`)
  const select = prepare<{ n: number }>(db, `SELECT n FROM ${table} WHERE key = ?`)
  const sum = prepare<{ n: number }>(db, `SELECT total(n) AS n FROM ${table} WHERE key BETWEEN ? AND ?`)
  return {
    // One look-up per change, because this runs four times per reservation.
    count: (key: number, by: number): void => {
      const change = changes.get(key)
      if (change === undefined) changes.set(key, { by })
      else change.by += by
    },
    flush: () => {
      for (const [key, { by }] of changes) if (by !== 0) add.run(key, by)
    },
    forget: () => changes.clear(),
    of: (key: number): number => select.get(key)?.n ?? 0,
    within: (first: number, last: number): number => readRow(sum, first, last).n,
  }
}

export const makeReservationCounts = (db: DatabaseSync): ReservationCounts => {
  const counters = Object.fromEntries(KINDS.map((kind) => [kind, makeCounter(db, kind)])) as Record<
    Kind,
    ReturnType<typeof makeCounter>
  >
  const total = { all: 0, longest: 0 }
  const add = db.prepare("INSERT INTO reservation_total VALUES ('all', ?) ON CONFLICT DO UPDATE SET n = n + excluded.n")
  const raise = db.prepare(
    "INSERT INTO reservation_total VALUES ('longest', ?) ON CONFLICT DO UPDATE SET n = max(n, excluded.n)",
  )
  const ofSuts = prepare<{ n: number }>(
    db,
    `SELECT total(n) AS n FROM ${tableOf('sut')} WHERE key IN (SELECT value FROM json_each(?))`,
  )
  const segments = prepare<{ n: number }>(db, 'SELECT count(*) AS n FROM segment')
  const select = prepare<{ n: number }>(db, 'SELECT n FROM reservation_total WHERE what = ?')
  const read = (what: keyof typeof total): number => select.get(what)?.n ?? 0

  const count = ({ sut, user, starts, ends }: CountedReservation, by: 1 | -1): void => {
    total.all += by
    counters.sut.count(sut, by)
    counters.user.count(user, by)
    counters.start_day.count(dayOf(starts), by)
    counters.end_day.count(dayOf(ends), by)
  }

  const forget = (): void => {
    for (const counter of Object.values(counters)) counter.forget()
    total.all = 0
    total.longest = 0
  }

  return {
    listed: (reservation) => {
      count(reservation, 1)
      total.longest = Math.max(total.longest, reservation.ends - reservation.starts)
    },
    furtherEvent: (sut) => counters.sut_further_events.count(sut, 1),
    replaced: (reservation) => {
      count(reservation, -1)
      counters.sut_further_events.count(reservation.sut, 1)
    },
    flush: () => {
      for (const counter of Object.values(counters)) counter.flush()
      if (total.all !== 0) add.run(total.all)
      if (total.longest > 0) raise.run(total.longest)
      forget()
    },
    forget,
    all: () => read('all'),
    of: (kind, key) => counters[kind].of(key),
    ofSuts: (suts) => readRow(ofSuts, JSON.stringify(suts)).n,
    eventsOf: (sut) => counters.sut.of(sut) + counters.sut_further_events.of(sut),
    onDays: (kind, first, last) => counters[kind].within(first, last),
    segments: () => readRow(segments).n,
    longest: () => read('longest'),
  }
}

/** Reservations of a user that were ended before their end. */
export interface EndedEarly {
  readonly cancelled: number
  readonly released: number
}
