import { quarterAt } from '../../domain/calendar/window.ts'
import type { Candidates, FreeWindow, NothingFree, Search, Wanted } from '../../domain/matching/candidates.ts'
import { findNextWindow, NEVER } from '../../domain/matching/openings.ts'
import { compareRanks, hashText, idleDaysOf, mixHashes, type Rank, restOf } from '../../domain/matching/order.ts'
import { type Fitting, makeFittings } from './fitting.ts'
import { followSuts, type MatchingOptions } from './follow.ts'
import { makeQuarters, type Quarter } from './quarters.ts'
import type { KnownSut, KnownSuts } from './suts.ts'

/** Finds SUTs that fit criteria and are free. Only a guess: the stream of a SUT decides. */
export interface Matching {
  /** @throws StoreUnavailable if the views cannot be read */
  readonly search: (search: Search) => Promise<Candidates>
  /** Whether a SUT fits, whatever its state. @throws StoreUnavailable as above */
  readonly isAnyFit: (wanted: Wanted) => Promise<boolean>
  /** The SUTs that are not retired, kept up to date by each event. @throws StoreUnavailable as above */
  readonly suts: () => KnownSuts | Promise<KnownSuts>
  readonly close: () => void
}

interface Prepared {
  readonly suts: KnownSuts
  readonly fitting: Fitting
  readonly quarter: Quarter
  readonly quarterNow: number
}

/** What a SUT that fits has free. */
interface Seen {
  readonly sut: KnownSut
  readonly slot: number
  readonly isFree: boolean
}

/** Visits the SUTs that fit, as they are now. */
const visit = ({ suts, fitting, quarter }: Prepared, { window }: Search, each: (seen: Seen) => void): void => {
  fitting.refresh()
  quarter.refresh()
  const flags = fitting.flags()
  for (let slot = 0; slot < suts.size(); slot++) {
    const sut = flags[slot] === 1 ? suts.at(slot) : undefined
    if (sut === undefined) continue
    each({ sut, slot, isFree: sut.isBookable && quarter.begins(slot) !== NEVER && window.end <= quarter.until(slot) })
  }
}

const rankOf = (
  { quarter, quarterNow }: Prepared,
  { window, latest }: Search,
  seed: number,
  { sut, slot }: Seen,
): Rank => {
  const begins = quarter.begins(slot)
  const free = {
    start: Math.max(quarter.from(slot), quarterNow),
    end: Math.max(Math.min(quarter.until(slot), latest), window.end),
  }
  return {
    rest: restOf(free, { start: begins, end: window.end }),
    idleDays: idleDaysOf(begins, quarter.lastEnd(slot)),
    hash: mixHashes(seed, sut.hash),
  }
}

const explain = (prepared: Prepared, search: Search): NothingFree => {
  const { quarter } = prepared
  const { window, latest } = search
  const length = window.end - window.start
  let matching = 0
  let longest: FreeWindow | undefined
  let nextAvailable: FreeWindow | undefined
  visit(prepared, search, ({ sut: { _id, windows, turnaround, isBookable }, slot, isFree }) => {
    matching++
    if (!isBookable) return
    const [start, end] = [quarter.begins(slot), quarter.until(slot)]
    if (start !== NEVER && end > (longest?.end ?? start)) longest = { sut_id: _id, start, end }
    // Its next window does not begin earlier, so most calendars need not be looked at.
    const from = isFree ? window.start : quarter.retry(slot)
    if (from >= (nextAvailable?.start ?? NEVER)) return
    const own = findNextWindow(windows, turnaround, { from, length, latest })
    if (own !== undefined && own.start < (nextAvailable?.start ?? NEVER)) nextAvailable = { sut_id: _id, ...own }
  })
  return { matching, nextAvailable, longest }
}

const makeCandidates = (prepared: Prepared, search: Search): Candidates => {
  const seed = hashText(search.seed)
  return {
    best: () => {
      let found: KnownSut | undefined
      let rank: Rank | undefined
      visit(prepared, search, (seen) => {
        if (!seen.isFree) return
        const own = rankOf(prepared, search, seed, seen)
        if (rank !== undefined && compareRanks(rank, own) <= 0) return
        found = seen.sut
        rank = own
      })
      return found?._id
    },
    another: (tried) => {
      let found: KnownSut | undefined
      let least = Number.POSITIVE_INFINITY
      visit(prepared, search, ({ sut, isFree }) => {
        const hash = mixHashes(seed, sut.hash)
        if (hash >= least || !isFree || tried.has(sut._id)) return
        found = sut
        least = hash
      })
      return found?._id
    },
    explain: () => explain(prepared, search),
  }
}

export const makeMatching = (options: MatchingOptions): Matching => {
  const followed = followSuts(options)
  let prepared:
    | { suts: KnownSuts; fittingOf: ReturnType<typeof makeFittings>; quarterOf: ReturnType<typeof makeQuarters> }
    | undefined

  const prepare = async () => {
    const suts = await followed.get()
    if (prepared?.suts !== suts) prepared = { suts, fittingOf: makeFittings(suts), quarterOf: makeQuarters(suts) }
    return prepared
  }

  return {
    isAnyFit: async (wanted) => {
      const fitting = await (await prepare()).fittingOf(wanted)
      fitting.refresh()
      return fitting.flags().includes(1)
    },
    search: async (search) => {
      const { suts, fittingOf, quarterOf } = await prepare()
      const { criteria, sut_id, scopes, window } = search
      const [fitting, quarter] = await Promise.all([fittingOf({ criteria, sut_id, scopes }), quarterOf(window.start)])
      return makeCandidates({ suts, fitting, quarter, quarterNow: quarterAt(options.clock()) }, search)
    },
    suts: followed.get,
    close: followed.close,
  }
}
