import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { dropEnded, putWindow, removeWindow } from '../../domain/matching/openings.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { type Followed, followViews } from '../followed.ts'
import type { ListResult } from '../list-reader.ts'
import { matchableOf, type SutsToMatch } from '../lists/matchable.ts'
import type { RowChange } from '../tables/version.ts'
import type { Views } from '../views.ts'
import { type KnownSuts, makeKnownSuts } from './suts.ts'

export interface MatchingOptions {
  readonly views: Pick<Views, 'read' | 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
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

/** SUTs and their windows, as of everything folded so far. */
export const followSuts = (options: MatchingOptions): Followed<KnownSuts> =>
  followViews(
    options.views,
    () => {
      const suts = makeKnownSuts()
      return { value: suts, load: () => readAll(options, suts), apply: makeApply(options.clock, suts) }
    },
    (_, changes) => changes,
  )
