import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation } from '../../projections/reservation.ts'
import { startOfWeek, weekOf } from '../domain/calendar/week.ts'
import type { Usage } from '../domain/reservation/quota.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { RowChange } from './tables/version.ts'
import { makeTally, reservedOf, type Tally } from './tally.ts'
import type { Views } from './views.ts'

interface UsagesOptions {
  readonly views: Pick<Views, 'read' | 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Reservations kept in memory, of all users together. */
  readonly reservationsMax?: number
}

const RESERVATIONS_MAX = 100_000
/** Reservations in a page. */
const PAGE = 1_000
/** Readings of a user whose reservations change meanwhile. */
const ATTEMPTS_MAX = 8

/** Reads from the views what a user has reserved. */
const makeLoad = ({ views, clock }: UsagesOptions) => {
  const read = async <Name extends 'unfinishedUsage' | 'finishedUsage'>(
    ...asked: Parameters<typeof views.read<Name>>
  ) => {
    const shown = views.read(...asked)
    if (shown === undefined) throw new StoreUnavailable('the reservations of a user cannot be read')
    return (await shown).listed
  }
  return async (user_id: string): Promise<Tally> => {
    const now = Math.floor(clock() / 1000)
    const tally = makeTally(now)
    let earliest = now
    for (let after = -1; ; ) {
      const page = await read('unfinishedUsage', { user_id, now, after, limit: PAGE })
      for (const { id, isReleased, internal } of page) {
        const reserved = reservedOf(internal)
        const { start, quarters, isExempt } = reserved
        if (!isReleased) tally.add(id, reserved)
        else if (!isExempt) tally.addFinished(weekOf(start), quarters)
        earliest = Math.min(earliest, start)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) break
      after = last.position
      await turn()
    }
    // Extensions count in the week in which their reservations start.
    const since = startOfWeek(weekOf(earliest))
    for (const [week, quarters] of await read('finishedUsage', { user_id, now, since }))
      tally.addFinished(week, quarters)
    return tally
  }
}

/** Forgets the users who reserved longest ago, beyond a number of reservations in memory, but not the one given. */
const forgetBeyond = (tallies: Map<string, Tally>, reservationsMax: number, userId: string): void => {
  let total = 0
  for (const [id, { size }] of [...tallies].toReversed()) {
    total += size()
    if (total > reservationsMax && id !== userId) tallies.delete(id)
  }
}

/** What testers have reserved, as of everything folded so far. Kept in memory for those who reserved last. */
export const makeUsages = (options: UsagesOptions) => {
  const { views, clock, reservationsMax = RESERVATIONS_MAX } = options
  const load = makeLoad(options)
  /** The least recently used first. */
  const tallies = new Map<string, Tally>()
  /** Users that are being read, and whether something of theirs was folded meanwhile. */
  const loading = new Map<string, { isChanged: boolean }>()

  const update = (change: RowChange): void => {
    if (change.projection !== 'reservation') return
    const { user_id: holder } = JSON.parse(change.after.document) as Reservation
    const reading = loading.get(holder)
    if (reading !== undefined) reading.isChanged = true
    if (tallies.get(holder)?.update(change) === false) tallies.delete(holder)
  }

  const unwatch = views.watch((_, changes) => {
    if (tallies.size > 0 || loading.size > 0) changes.forEach(update)
  })

  const keep = (userId: string, tally: Tally): Tally => {
    tallies.delete(userId)
    tallies.set(userId, tally)
    forgetBeyond(tallies, reservationsMax, userId)
    return tally
  }

  const loadSettled = async (userId: string): Promise<Tally> => {
    for (let n = 0; n < ATTEMPTS_MAX; n++) {
      const reading = { isChanged: false }
      loading.set(userId, reading)
      try {
        const tally = await load(userId)
        if (!reading.isChanged) return keep(userId, tally)
      } finally {
        loading.delete(userId)
      }
    }
    throw new StoreUnavailable('the reservations of a user change too fast to be counted')
  }

  return {
    /**
     * What a user has reserved. Kept up to date until the next call.
     *
     * @throws StoreUnavailable if it cannot be read
     */
    of: (userId: string): Usage | Promise<Usage> => {
      const tally = tallies.get(userId)
      if (tally === undefined || clock() / 1000 < tally.from) return loadSettled(userId)
      tallies.delete(userId)
      tallies.set(userId, tally)
      return tally
    },
    /** Ends the updates. */
    close: unwatch,
  }
}
