import { LRUCache } from 'lru-cache'
import type { Reservation, ReservationInternal } from '../../projections/reservation.ts'
import { weekOf } from '../domain/calendar/week.ts'
import type { Usage } from '../domain/reservation/quota.ts'
import type { Clock } from '../domain/values/units.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { RowChange, Version } from './tables/version.ts'
import type { Views } from './views.ts'

interface UsagesOptions {
  readonly views: Pick<Views, 'readNow' | 'watch'>
  readonly clock: Clock
  /** Reservations kept in memory, of all users together. */
  readonly reservationsMax?: number
}

const RESERVATIONS_MAX = 100_000

type CountedVersion = Pick<Version, 'id' | 'ended' | 'internal'>
type Tally = ReturnType<typeof makeTally>

/** Counts what one user has reserved. @param from Unix seconds: what was over by then is counted by its week only */
export const makeTally = (from: number) => {
  /** Those that have not been released, until their end is recorded. */
  const unfinished = new Map<string, ReservationInternal>()
  const weeks = new Map<number, number>()

  const addToWeek = (week: number, quarters: number): void => {
    weeks.set(week, (weeks.get(week) ?? 0) + quarters)
  }
  /** Adds what a version counts, or takes it away. */
  const count = ({ start, counted, is_exempt }: ReservationInternal, sign: 1 | -1): void => {
    if (!is_exempt) addToWeek(weekOf(start), sign * counted)
  }
  const add = ({ id, ended, internal }: CountedVersion): void => {
    const reserved = JSON.parse(internal) as ReservationInternal
    count(reserved, 1)
    // What is released is over at once, although its window ends with the second.
    if (ended === null && reserved.recorded !== 'end') unfinished.set(id, reserved)
    else unfinished.delete(id)
  }

  return {
    from,
    quartersIn: (week: number): number => weeks.get(week) ?? 0,
    endingAfter: (moment: number): number =>
      Iterator.from(unfinished.values()).reduce(
        (sum, { end, is_exempt }) => sum + Number(!is_exempt && end > moment),
        0,
      ),
    unfinished: (id: string) => {
      const reserved = unfinished.get(id)
      return reserved && { quarters: reserved.counted, isExempt: reserved.is_exempt }
    },
    size: (): number => unfinished.size,
    addToWeek,
    add,
    /** Applies a change of one of the user's reservations. */
    update: ({ before, after }: Pick<RowChange, 'before' | 'after'>): void => {
      if (before !== undefined) count(JSON.parse(before.internal) as ReservationInternal, -1)
      add(after)
    },
  }
}

/** What testers have reserved, as of everything folded so far. Kept in memory for those who reserved last. */
export const makeUsages = ({ views, clock, reservationsMax = RESERVATIONS_MAX }: UsagesOptions) => {
  const tallies = new LRUCache<string, Tally>({ maxSize: reservationsMax, sizeCalculation: ({ size }) => 1 + size() })

  /** Keeps a tally with the size that it has now. */
  const keep = (userId: string, tally: Tally): Tally => {
    tallies.delete(userId)
    tallies.set(userId, tally)
    return tally
  }

  const load = (user_id: string): Tally => {
    const now = Math.floor(clock() / 1000)
    const usage = views.readNow('usage', { user_id, now })?.listed
    if (usage === undefined) throw new StoreUnavailable('the reservations of a user cannot be read')
    const tally = makeTally(now)
    for (const version of usage.unfinished) tally.add(version)
    for (const { week, quarters } of usage.weeks) tally.addToWeek(week, quarters)
    return tally
  }

  const update = (change: RowChange): void => {
    if (change.projection !== 'reservation') return
    const { user_id } = JSON.parse(change.after.document) as Reservation
    const tally = tallies.peek(user_id)
    if (tally === undefined) return
    tally.update(change)
    keep(user_id, tally)
  }
  const unwatch = views.watch((_, changes) => {
    if (tallies.size > 0) changes.forEach(update)
  })

  return {
    /**
     * What a user has reserved. Kept up to date until the next call.
     *
     * @throws StoreUnavailable if it cannot be read
     */
    of: (userId: string): Usage => {
      const tally = tallies.get(userId)
      const isUsable = tally !== undefined && clock() / 1000 >= tally.from
      return isUsable ? tally : keep(userId, load(userId))
    },
    close: unwatch,
  }
}
