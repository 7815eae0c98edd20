import type { DatabaseSync } from 'node:sqlite'
import { prepare } from '../../files/sqlite.ts'

export const SUT_EVENTS_SCHEMA = 'CREATE TABLE sut_events (sut INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;'

/** How many events of each SUT's stream are about its reservations and series: several tables have their rows. */
export interface SutEvents {
  readonly note: (sut: number) => void
  /** Writes what was noted. */
  readonly flush: () => void
  /** Called after a failed transaction: discards what was noted. */
  readonly forget: () => void
  readonly of: (sut: number) => number
}

export const makeSutEvents = (db: DatabaseSync): SutEvents => {
  const noted = new Map<number, number>()
  const add = db.prepare('INSERT INTO sut_events VALUES (?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n')
  const select = prepare<{ n: number }>(db, 'SELECT n FROM sut_events WHERE sut = ?')
  return {
    note: (sut) => noted.set(sut, (noted.get(sut) ?? 0) + 1),
    flush: () => {
      for (const [sut, n] of noted) add.run(sut, n)
      noted.clear()
    },
    forget: () => noted.clear(),
    of: (sut) => select.get(sut)?.n ?? 0,
  }
}
