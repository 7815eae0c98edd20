import type { DatabaseSync } from 'node:sqlite'

const DAY = 86_400

/** The day a moment is in, both counted from the beginning of Unix time, the moment in seconds. */
export const dayOf = (moment: number): number => Math.floor(moment / DAY)

/** The first second of a day. */
export const startOfDay = (day: number): number => day * DAY

export const RESERVATION_COUNTS_SCHEMA = `
  CREATE TABLE reservation_count (
    kind TEXT NOT NULL, key INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;`

/** A reservation as lists filter it: keys for SUT and user, Unix seconds for its ends. */
export interface Counted {
  readonly sut: number
  readonly user: number
  readonly starts: number
  readonly ends: number
}

/** By how much the count of each key has changed. */
type Changes = Map<number, { by: number }>
/** The one key of what there is one of. */
const ONE = 0

/** How many reservations are listed, in all and of each kind, where counting them would read them all. */
export interface ReservationCounts {
  /** Takes note that one has come or gone; of one that comes also how long it is. */
  readonly note: (reservation: Counted, by: 1 | -1) => void
  /** Takes note of an event of a SUT's reservations. */
  readonly recorded: (sut: number) => void
  /** Writes what has been noted. */
  readonly flush: () => void
  /** After a transaction that failed: nothing has been noted. */
  readonly forget: () => void
  readonly all: () => number
  readonly of: (kind: 'sut' | 'user' | 'sut_event', key: number) => number
  /** Those that start, or end, on one of the days given. */
  readonly onDays: (kind: 'start_day' | 'end_day', first: number, last: number) => number
  /** Seconds of the longest that ever was: what overlaps a span ends within this of its end. */
  readonly longest: () => number
}

export const makeReservationCounts = (db: DatabaseSync): ReservationCounts => {
  const noted = {
    sut: new Map(),
    user: new Map(),
    start_day: new Map(),
    end_day: new Map(),
    sut_event: new Map(),
  } satisfies Record<string, Changes>
  let all = 0
  let longest = 0
  const add = db.prepare('INSERT INTO reservation_count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n')
  const raise = db.prepare(
    'INSERT INTO reservation_count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = max(n, excluded.n)',
  )
  const select = db.prepare('SELECT n FROM reservation_count WHERE kind = ? AND key = ?')
  const sum = db.prepare('SELECT total(n) AS n FROM reservation_count WHERE kind = ? AND key BETWEEN ? AND ?')
  const read = (kind: string, key: number): number => (select.get(kind, key) as { n: number } | undefined)?.n ?? 0

  // Found once and not looked up again to be set: it is done five times for each reservation.
  const count = (changes: Changes, key: number, by: number): void => {
    const change = changes.get(key)
    if (change === undefined) changes.set(key, { by })
    else change.by += by
  }

  const forget = (): void => {
    for (const changes of Object.values(noted)) changes.clear()
    all = 0
    longest = 0
  }

  return {
    note: ({ sut, user, starts, ends }, by) => {
      all += by
      count(noted.sut, sut, by)
      count(noted.user, user, by)
      count(noted.start_day, dayOf(starts), by)
      count(noted.end_day, dayOf(ends), by)
      longest = Math.max(longest, by * (ends - starts))
    },
    recorded: (sut) => count(noted.sut_event, sut, 1),
    flush: () => {
      for (const [kind, changes] of Object.entries(noted)) {
        for (const [key, { by }] of changes) if (by !== 0) add.run(kind, key, by)
      }
      if (all !== 0) add.run('all', ONE, all)
      if (longest > 0) raise.run('longest', ONE, longest)
      forget()
    },
    forget,
    all: () => read('all', ONE),
    of: read,
    onDays: (kind, first, last) => (sum.get(kind, first, last) as { n: number }).n,
    longest: () => read('longest', ONE),
  }
}
