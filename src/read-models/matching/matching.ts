import { quarterAt } from '../../domain/calendar/window.ts'
import type { Candidates, FreeWindow, NothingFree, Search, Wanted } from '../../domain/matching/candidates.ts'
import { findNextWindow, NEVER } from '../../domain/matching/openings.ts'
import { compareRanks, hashText, idleDaysOf, mixHashes, type Rank, restOf } from '../../domain/matching/order.ts'
import { intersect, isEmpty, slotsIn } from '../../domain/matching/slot-set.ts'
import { followSuts, type MatchingOptions } from './follow.ts'
import type { KnownSut, KnownSuts } from './suts.ts'

export type Matching = ReturnType<typeof makeMatching>

/** The SUTs that fit and are free in the whole window, by slot. */
const findFree = function* (suts: KnownSuts, search: Search): Generator<number> {
  const { start, end } = search.window
  for (const slot of slotsIn(intersect(suts.fitting(search), suts.free(start)))) {
    if (end <= suts.opening(slot, start).until) yield slot
  }
}

const rankOf = (suts: KnownSuts, { window, latest }: Search, seed: number, slot: number, quarterNow: number): Rank => {
  const { begins, from, until, lastEnd } = suts.opening(slot, window.start)
  const free = { start: Math.max(from, quarterNow), end: Math.max(Math.min(until, latest), window.end) }
  return {
    rest: restOf(free, { start: begins, end: window.end }),
    idleDays: idleDaysOf(begins, lastEnd),
    hash: mixHashes(seed, (suts.at(slot) as KnownSut).hash),
  }
}

const explain = (suts: KnownSuts, search: Search): NothingFree => {
  const { window, latest } = search
  const length = window.end - window.start
  let matching = 0
  let longest: FreeWindow | undefined
  let nextAvailable: FreeWindow | undefined
  for (const slot of slotsIn(suts.fitting(search))) {
    matching++
    const { _id, windows, turnaround, isBookable } = suts.at(slot) as KnownSut
    if (!isBookable) continue
    const { begins, until, retry } = suts.opening(slot, window.start)
    if (begins !== NEVER && until > (longest?.end ?? begins)) longest = { sut_id: _id, start: begins, end: until }
    // Its next window does not begin earlier, so most calendars need not be looked at.
    const from = begins !== NEVER && window.end <= until ? window.start : retry
    if (from >= (nextAvailable?.start ?? NEVER)) continue
    const own = findNextWindow(windows, turnaround, { from, length, latest })
    if (own !== undefined && own.start < (nextAvailable?.start ?? NEVER)) nextAvailable = { sut_id: _id, ...own }
  }
  return { matching, nextAvailable, longest }
}

const makeCandidates = (suts: KnownSuts, search: Search, quarterNow: number): Candidates => {
  const seed = hashText(search.seed)

  const findBest = (): number | undefined => {
    let best: { readonly slot: number; readonly rank: Rank } | undefined
    for (const slot of findFree(suts, search)) {
      const rank = rankOf(suts, search, seed, slot, quarterNow)
      if (best === undefined || compareRanks(best.rank, rank) > 0) best = { slot, rank }
    }
    return best?.slot
  }

  const findAnother = (tried: ReadonlySet<string>): number | undefined => {
    let [another, least]: [number | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const slot of findFree(suts, search)) {
      const { _id, hash } = suts.at(slot) as KnownSut
      const own = mixHashes(seed, hash)
      if (own < least && !tried.has(_id)) [another, least] = [slot, own]
    }
    return another
  }

  const idAt = (slot: number | undefined): string | undefined => (slot === undefined ? undefined : suts.at(slot)?._id)

  return {
    choose: (tried) => idAt(tried === undefined ? findBest() : (findAnother(tried) ?? findAnother(new Set()))),
    *inOrder(first) {
      const tried = new Set([first])
      const best = suts.find(first)
      if (best !== undefined && suts.isFree(best, search.window)) yield first
      for (let id = idAt(findAnother(tried)); id !== undefined; id = idAt(findAnother(tried))) {
        tried.add(id)
        yield id
      }
    },
    explain: () => explain(suts, search),
  }
}

/** Finds SUTs that fit criteria and are free. Only a guess: the stream of a SUT decides. */
export const makeMatching = (options: MatchingOptions) => {
  const { get, close } = followSuts(options)
  return {
    /** @throws StoreUnavailable if the views cannot be read */
    search: async (search: Search): Promise<Candidates> =>
      makeCandidates(await get(), search, quarterAt(options.clock())),
    /** Whether a SUT fits, whatever its state. @throws StoreUnavailable as above */
    isAnyFit: async (wanted: Wanted): Promise<boolean> => !isEmpty((await get()).fitting(wanted)),
    /** The SUTs that are not retired, kept up to date by each event. @throws StoreUnavailable as above */
    suts: get,
    close,
  }
}
