import type { DatabaseSync } from 'node:sqlite'
import { type Change, diffDocuments, historyProjections, listChangedSecrets } from '../../../projections/history.ts'
import type { Recorded } from '../../domain/event.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import type { ReservationCounts } from '../tables/reservation-counts.ts'

/** An event's position in the log and revision in its stream. */
export interface EventPlace {
  readonly position: number
  readonly revision: number
}

/** The history of objects and what each event changed, from the versions of their documents. */
export interface Histories {
  /** The events behind the versions of a document, oldest first. */
  readonly places: (of: 'reservation' | 'listen_port', id: string) => readonly EventPlace[]
  /** The length of a SUT's stream, including events of its reservations. */
  readonly eventsOf: (sutId: string) => number
  /** The positions of events about SUTs after a position, in order, at most `limit`. */
  readonly sutEvents: (after: number, limit: number) => readonly number[]
  /** What the event at a position changed. */
  readonly changes: (event: Recorded, position: number) => readonly Change[]
}

const parsed = (row: unknown): object | undefined =>
  row === undefined ? undefined : (JSON.parse((row as { document: string }).document) as object)

export const makeHistories = (db: DatabaseSync, names: IdKeys, counts: ReservationCounts): Histories => {
  const placesIn = (table: string) =>
    db.prepare(`SELECT position, revision FROM ${table} WHERE id = ? ORDER BY position`)
  const places = { reservation: placesIn('reservation'), listen_port: placesIn('listen_port') }
  const ofSuts = db.prepare('SELECT position FROM sut WHERE position > ? ORDER BY position LIMIT ?')
  const ownEvents = db.prepare('SELECT count(*) AS n FROM sut WHERE id = ?')
  const corrections = db.prepare('SELECT count(*) AS n FROM clock_correction WHERE id = ?')
  const documents = historyProjections.map(({ name, key }) => ({
    key,
    at: db.prepare(`SELECT document FROM ${name} WHERE position = ?`),
    before: db.prepare(`SELECT document FROM ${name} WHERE id = ? AND position < ? ORDER BY position DESC LIMIT 1`),
  }))
  return {
    places: (of, id) => places[of].all(id) as unknown as readonly EventPlace[],
    eventsOf: (sutId) => {
      const sut = names.find(sutId)
      const [own, corrected] = [ownEvents, corrections].map((count) => (count.get(sutId) as { n: number }).n)
      return Number(own) + Number(corrected) + (sut === undefined ? 0 : counts.eventsOf(sut))
    },
    sutEvents: (after, limit) => ofSuts.all(after, limit).map(({ position }) => position as number),
    changes: (event, position) => [
      ...documents.flatMap(({ key, at, before }) => {
        const id = key(event)
        if (id === undefined) return []
        return diffDocuments(parsed(before.get(id, position)), parsed(at.get(position)))
      }),
      ...listChangedSecrets(event),
    ],
  }
}
