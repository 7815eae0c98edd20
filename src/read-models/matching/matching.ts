import { quarterAt } from '../../domain/calendar/window.ts'
import type { Candidates, FreeWindow, NothingFree, Search } from '../../domain/matching/candidates.ts'
import { findNextWindow, NEVER } from '../../domain/matching/openings.ts'
import { compareRanks, hashText, mixHashes, type Rank, rankIn } from '../../domain/matching/order.ts'
import { intersect, slotsIn } from '../../domain/matching/slot-set.ts'
import { followSuts, type MatchingOptions } from './follow.ts'
import { isFreeIn, type KnownSut, type KnownSuts, openingOf } from './suts.ts'

export type Matching = ReturnType<typeof makeMatching>

/** The SUTs that fit and are free in the whole window. */
const findFree = function* (suts: KnownSuts, search: Search): Generator<KnownSut> {
  const { start, end } = search.window
  for (const slot of slotsIn(intersect(suts.fitting(search), suts.free(start)))) {
    const sut = suts.at(slot)
    if (sut !== undefined && end <= openingOf(sut, start).until) yield sut
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
    const sut = suts.at(slot) as KnownSut
    if (!sut.isBookable) continue
    const { _id, windows, turnaround } = sut
    const { begins, until, retry } = openingOf(sut, window.start)
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

  const findBest = (): string | undefined => {
    let best: { readonly _id: string; readonly rank: Rank } | undefined
    const { window, latest } = search
    for (const sut of findFree(suts, search)) {
      const opening = openingOf(sut, window.start)
      const own = rankIn(opening, { start: opening.begins, end: window.end }, { start: quarterNow, end: latest })
      const rank = { ...own, hash: mixHashes(seed, sut.hash) }
      if (best === undefined || compareRanks(best.rank, rank) > 0) best = { _id: sut._id, rank }
    }
    return best?._id
  }

  const findAnother = (tried: ReadonlySet<string>): string | undefined => {
    let [another, least]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const { _id, hash } of findFree(suts, search)) {
      const own = mixHashes(seed, hash)
      if (own < least && !tried.has(_id)) [another, least] = [_id, own]
    }
    return another
  }

  return {
    isAnyFit: () => suts.isAnyFit(search),
    choose: (tried) => (tried === undefined ? findBest() : (findAnother(tried) ?? findAnother(new Set()))),
    *inOrder(first) {
      const tried = new Set([first])
      const best = suts.find(first)
      if (best !== undefined && isFreeIn(best, search.window)) yield first
      for (let id = findAnother(tried); id !== undefined; id = findAnother(tried)) {
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
    /** The SUTs that are not retired, kept up to date by each event. @throws StoreUnavailable as above */
    suts: get,
    close,
  }
}
