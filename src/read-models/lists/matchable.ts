import type { Row } from '../../../projections/projection.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import { type Profile, profileOf } from '../../domain/matching/fit.ts'
import type { KnownWindow } from '../../domain/matching/openings.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import { LISTED } from './reservations.ts'

/** What matching has to know of a SUT. */
export interface Matchable {
  readonly name: string
  readonly profile: Profile
  /** Active, and not known to be offline. */
  readonly isBookable: boolean
  /** Seconds, in whole quarters. */
  readonly turnaround: number
}

export const matchableOf = ({ document, internal }: Row<Sut, SutInternal>): Matchable => ({
  name: document.name,
  profile: profileOf(document, document.tags),
  isBookable: document.is_active && internal.status !== 'offline',
  turnaround: internal.settings.turnaround ?? 0,
})

interface SutToMatch extends Matchable {
  readonly _id: string
  /** The latest end of a reservation by the moment; 0 if there is none. */
  readonly lastEnd: number
  /** Those that end later, by start. */
  readonly windows: readonly KnownWindow[]
}

export interface SutsToMatch {
  readonly suts: readonly SutToMatch[]
  /** After what the next page begins; undefined if there is none. */
  readonly next: PublicPosition | undefined
}

/** SUTs in a page: with 64 tags each, taking one in takes the main thread up to 10 ms before that is compiled. */
const PAGE_SIZE = 25

/** SUTs that are not retired, with what holds them from a moment in Unix seconds on. In pages, in order of creation. */
export const makeSutsToMatch =
  (ask: RunQuery) =>
  (moment: number, after = -1): SutsToMatch => {
    const rows = ask<{ created: PublicPosition; document: string; internal: string; lastEnd: number | null }>(
      `SELECT created, document, internal,
         (SELECT ends FROM reservation WHERE sut = sut.id AND ${LISTED} AND ends <= ? ORDER BY ends DESC LIMIT 1) AS lastEnd
       FROM sut WHERE ${CURRENT} AND ended IS NULL AND created > ? ORDER BY created LIMIT ${PAGE_SIZE}`,
      moment,
      after,
    )
    const suts = rows.map(({ document, internal, lastEnd }) => {
      const sut = { document: JSON.parse(document) as Sut, internal: JSON.parse(internal) as SutInternal }
      return { _id: sut.document._id, ...matchableOf(sut), lastEnd: lastEnd ?? 0 }
    })
    const held = ask<{ sut: string; start: number; end: number; isReleased: number }>(
      `SELECT sut, starts AS start, ends AS "end", ended IS 'released' AS isReleased FROM reservation
       WHERE ${LISTED} AND sut IN (SELECT value FROM json_each(?)) AND ends > ? ORDER BY starts, created`,
      JSON.stringify(suts.map(({ _id }) => _id)),
      moment,
    )
    const windows = Map.groupBy(held, ({ sut }) => sut)
    return {
      suts: suts.map((sut) => ({
        ...sut,
        windows: (windows.get(sut._id) ?? []).map(({ start, end, isReleased }) => ({
          ...{ start, end, isReleased: isReleased === 1 },
        })),
      })),
      next: rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.created,
    }
  }
