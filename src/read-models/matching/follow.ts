import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { dropEnded, putWindow, removeWindow } from '../../domain/matching/openings.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { type Followed, followViews } from '../followed.ts'
import type { WindowsPage } from '../lists/reservations.ts'
import type { RowChange } from '../tables/version.ts'
import type { Views } from '../views.ts'
import { type KnownSuts, makeKnownSuts } from './suts.ts'

export interface MatchingOptions {
  readonly views: Pick<Views, 'read' | 'watch' | 'newest'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Documents or windows taken in one turn of the event loop. */
const TURN_SIZE = 512

const parsed = ({ document, internal }: { readonly document: string; readonly internal: string }) => ({
  document: JSON.parse(document) as Sut,
  internal: JSON.parse(internal) as SutInternal,
})

/** Applies changes. Objects are taken as they are now, so that changes may be applied again. */
const makeApply = ({ views, clock }: MatchingOptions, suts: KnownSuts) => {
  const applyReservation = (id: string): void => {
    const version = views.newest('reservation', id)
    if (version === undefined) return
    const { sut_id, start_time, end_time } = JSON.parse(version.document) as Reservation
    const [start, end] = [epochSecondsOf(start_time), epochSecondsOf(end_time)]
    suts.changeWindows(sut_id, (windows) => {
      dropEnded(windows, quarterAt(clock()))
      if (version.ended === 'cancelled') removeWindow(windows, start)
      else putWindow(windows, { start, end, isReleased: version.ended === 'released' })
    })
  }

  const applySut = (id: string): void => {
    const version = views.newest('sut', id)
    if (version === undefined) return
    suts.put(id, version.ended === 'retired' ? undefined : parsed(version))
  }

  return ({ projection, after }: RowChange): void => {
    if (projection === 'reservation') applyReservation(after.id)
    if (projection === 'sut') applySut(after.id)
  }
}

/** Takes everything from the views. */
const readAll = async ({ views, clock }: MatchingOptions, suts: KnownSuts): Promise<void> => {
  const unreadable = (): never => {
    throw new StoreUnavailable('SUTs cannot be compared while the views cannot be read')
  }
  const rows = await (views.read('everySut') ?? unreadable())
  for (const [n, row] of rows.listed.entries()) {
    if (n % TURN_SIZE === TURN_SIZE - 1) await turn()
    const sut = parsed(row)
    suts.put(sut.document._id, sut)
  }
  const moment = quarterAt(clock())
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { listed: page }: { listed: WindowsPage } = await (views.read('windows', moment, from) ?? unreadable())
    for (const window of page.windows) {
      const known = suts.find(window.sut_id)
      // Nobody has looked at what is free yet.
      if (known !== undefined) putWindow(known.windows, window)
    }
    for (const { sut_id, end } of page.ends) {
      const known = suts.find(sut_id)
      if (known !== undefined) known.windows.lastEnd = Math.max(known.windows.lastEnd, end)
    }
    from = page.next
  }
}

/** SUTs and their windows, as of everything folded so far. */
export const followSuts = (options: MatchingOptions): Followed<KnownSuts> =>
  followViews(options.views, {
    begin: () => {
      const suts = makeKnownSuts()
      return { value: suts, load: () => readAll(options, suts), apply: makeApply(options, suts) }
    },
    changes: (_, changes) => changes,
    turnSize: TURN_SIZE,
  })
