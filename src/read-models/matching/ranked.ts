import { setImmediate as turn } from 'node:timers/promises'
import { findFreeWindows } from '../../domain/calendar/free-windows.ts'
import { QUARTER, type Window } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { compareRanks, hashText, mixHashes, type Rank, rankIn } from '../../domain/matching/order.ts'
import { slotsIn } from '../../domain/matching/slot-set.ts'
import { type AvailablePage, type AvailableQuery, describe } from '../lists/available.ts'
import { type KnownSut, type KnownSuts, openingOf } from './suts.ts'

/** A place in the order of matching, as of the quarter and with the seed of its first page. */
export interface RankedAfter extends Rank {
  readonly quarter: number
  readonly seed: string
  /** When the window begins that it is ranked for. */
  readonly start: number
}

interface RankedQuery extends AvailableQuery {
  readonly criteria: Criteria
  readonly quarter: number
  /** The latest start of a window. */
  readonly latest: number
  readonly seed: string
  readonly after: RankedAfter | undefined
}

type Place = Omit<RankedAfter, 'quarter' | 'seed'>

/** SUTs ranked in one turn of the event loop. */
const TURN_SIZE = 512

const comparePlaces = (a: Place, b: Place): number => a.start - b.start || compareRanks(a, b)

/** What holds a SUT, with the last window of those that are over. */
const heldIn = ({ windows: { starts, ends, lastEnd } }: KnownSut): readonly Window[] => [
  ...(lastEnd === 0 ? [] : [{ start: lastEnd - 1, end: lastEnd }]),
  ...starts.map((start, n) => ({ start, end: ends[n] as number })),
]

/** Where a SUT has the earliest window of the length; undefined if it has none. */
const placeOf = (
  sut: KnownSut,
  { span, duration, latest }: RankedQuery,
  { quarter, seed }: Pick<RankedAfter, 'quarter' | 'seed'>,
): Place | undefined => {
  const [first] = findFreeWindows(heldIn(sut), span, duration, 1, sut.turnaround).windows
  if (first === undefined) return undefined
  const { start } = first
  const opening = openingOf(sut, start - (start % QUARTER))
  const rank = rankIn(opening, { start, end: start + duration }, { start: quarter, end: latest })
  return { start, ...rank, hash: mixHashes(hashText(seed), sut.hash) }
}

/** SUTs that fit criteria, in the order of matching for the earliest window of the length that each has. */
export const findRanked = async (suts: KnownSuts, query: RankedQuery): Promise<AvailablePage<RankedAfter>> => {
  const { criteria, scope, limit, after } = query
  const { quarter, seed } = after ?? query
  const ranked: { readonly sut: KnownSut; readonly place: Place }[] = []
  let looked = 0
  for (const slot of slotsIn(suts.fitting({ criteria, scopes: scope === undefined ? [] : [scope] }).slice())) {
    if (++looked % TURN_SIZE === 0) await turn()
    const sut = suts.at(slot)
    const place = sut?.isBookable === true ? placeOf(sut, query, { quarter, seed }) : undefined
    const isLater = place !== undefined && (after === undefined || comparePlaces(place, after) > 0)
    if (sut !== undefined && isLater) ranked.push({ sut, place })
  }
  ranked.sort((a, b) => comparePlaces(a.place, b.place))
  const page = ranked.slice(0, limit)
  const last = ranked.length > limit ? page.at(-1) : undefined
  return {
    suts: page.map(({ sut }) => describe(sut, heldIn(sut), sut.turnaround, query)),
    next: last && { ...last.place, quarter, seed },
  }
}
