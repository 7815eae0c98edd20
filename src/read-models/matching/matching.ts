import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import type { Candidates, FreeWindow, NothingFree, Search } from '../../domain/matching/candidates.ts'
import { dropEnded, findNextWindow, NEVER, putWindow, removeWindow } from '../../domain/matching/openings.ts'
import { compareRanks, hashText, mixHashes, type Rank, rankIn } from '../../domain/matching/order.ts'
import { intersect, slotsIn } from '../../domain/matching/slot-set.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Clock } from '../../domain/values/units.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { followViews } from '../followed.ts'
import type { ListResult } from '../list-reader.ts'
import { matchableOf, type SutsToMatch } from '../lists/matchable.ts'
import type { RowChange } from '../tables/version.ts'
import type { Views } from '../views.ts'
import { isFreeIn, type KnownSut, type KnownSuts, makeKnownSuts, openingOf } from './suts.ts'

export type Matching = ReturnType<typeof makeMatching>

interface MatchingOptions {
  readonly views: Pick<Views, 'read' | 'watch'>
  readonly clock: Clock
}

/** Applies a change. Those that are applied again end at what the last one says. */
const makeApply =
  (clock: MatchingOptions['clock'], suts: KnownSuts) =>
  ({ projection, after }: RowChange): void => {
    const { id, document, internal, ended } = after
    if (projection === 'sut') {
      const sut = { document: JSON.parse(document) as Sut, internal: JSON.parse(internal) as SutInternal }
      suts.put(id, ended === 'retired' ? undefined : matchableOf(sut))
    }
    if (projection !== 'reservation') return
    const { sut_id, start_time, end_time } = JSON.parse(document) as Reservation
    const [start, end] = [epochSecondsOf(start_time), epochSecondsOf(end_time)]
    suts.changeWindows(sut_id, (windows) => {
      dropEnded(windows, quarterAt(clock()))
      if (ended === 'cancelled') removeWindow(windows, start)
      else putWindow(windows, { start, end, isReleased: ended === 'released' })
    })
  }

/** Takes everything from the views, in pages that hold up nobody for long. */
const readAll = async ({ views, clock }: MatchingOptions, suts: KnownSuts): Promise<void> => {
  const moment = quarterAt(clock())
  const read = (after?: PublicPosition): Promise<ListResult<SutsToMatch>> => {
    const reading = views.read('sutsToMatch', moment, after)
    if (reading !== undefined) return reading
    throw new StoreUnavailable('SUTs cannot be compared while the views cannot be read')
  }
  for (let reading: Promise<ListResult<SutsToMatch>> | undefined = read(); reading !== undefined; ) {
    const { listed: page }: ListResult<SutsToMatch> = await reading
    // Node delivers the answers of a thread in one turn for as long as they come.
    await turn()
    // The next page is read while this one is taken in.
    reading = page.next === undefined ? undefined : read(page.next)
    for (const { _id, windows, lastEnd, ...sut } of page.suts) {
      suts.put(_id, sut)
      suts.changeWindows(_id, (known) => {
        known.lastEnd = lastEnd
        for (const window of windows) putWindow(known, window)
      })
    }
  }
}

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
  /** SUTs and their windows, as of everything folded so far. */
  const { get, close } = followViews(
    options.views,
    () => {
      const suts = makeKnownSuts()
      return { value: suts, load: () => readAll(options, suts), apply: makeApply(options.clock, suts) }
    },
    (_, changes) => changes,
  )
  return {
    /** @throws StoreUnavailable if the views cannot be read */
    search: async (search: Search): Promise<Candidates> =>
      makeCandidates(await get(), search, quarterAt(options.clock())),
    /** The SUTs that are not retired, kept up to date by each event. @throws StoreUnavailable as above */
    suts: get,
    close,
  }
}
