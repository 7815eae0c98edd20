import type { ReservationInternal } from '../../projections/reservation.ts'
import { weekOf } from '../domain/calendar/week.ts'
import type { Usage } from '../domain/reservation/quota.ts'
import type { RowChange } from './tables/version.ts'

/** A reservation, in Unix seconds. */
interface Reserved {
  readonly start: number
  readonly end: number
  /** What it counts for the quota. */
  readonly quarters: number
  /** Whether it is beyond the quota and does not count. */
  readonly isExempt: boolean
}

export const reservedOf = ({ start, end, counted, is_exempt }: ReservationInternal): Reserved => ({
  ...{ start, end },
  ...{ quarters: counted, isExempt: is_exempt },
})

/** Counts what one user has reserved. */
export interface Tally extends Usage {
  readonly add: (id: string, reserved: Reserved) => void
  /** Counts reservations that are over. */
  readonly addFinished: (week: number, quarters: number) => void
  /** Applies a change of one of the user's reservations. False if it does not fit: then the tally is wrong. */
  readonly update: (change: RowChange) => boolean
  /**
   * The moment in Unix seconds by which reservations that have left had ended. If the clock is set back before it, the
   * tally is wrong.
   */
  readonly leftBy: () => number
  /** Reservations kept. */
  readonly size: () => number
}

/** Counts the reservations that are not over. Those that are over leave when they are counted. */
const makeUnfinished = (now: number) => {
  const reserved = new Map<string, Reserved>()
  let counted = 0
  /** No reservation ends before it. */
  let earliestEnd = Number.POSITIVE_INFINITY
  let leftBy = now
  const remove = (id: string): void => {
    if (reserved.get(id)?.isExempt === false) counted--
    reserved.delete(id)
  }
  return {
    get: (id: string) => reserved.get(id),
    size: () => reserved.size,
    leftBy: () => leftBy,
    remove,
    set: (id: string, changed: Reserved): void => {
      remove(id)
      reserved.set(id, changed)
      if (!changed.isExempt) counted++
      earliestEnd = Math.min(earliestEnd, changed.end)
    },
    endingAfter: (moment: number): number => {
      if (moment < earliestEnd) return counted
      leftBy = Math.max(leftBy, moment)
      earliestEnd = Number.POSITIVE_INFINITY
      for (const [id, { end }] of reserved) {
        if (end <= moment) remove(id)
        else earliestEnd = Math.min(earliestEnd, end)
      }
      return counted
    },
  }
}

/** @param now Unix seconds: reservations that ended by then are added as finished ones */
export const makeTally = (now: number): Tally => {
  const unfinished = makeUnfinished(now)
  const weeks = new Map<number, number>()

  const addQuarters = (week: number, quarters: number): void => {
    weeks.set(week, (weeks.get(week) ?? 0) + quarters)
  }
  const count = ({ start, quarters, isExempt }: Reserved, sign: 1 | -1): void => {
    if (!isExempt) addQuarters(weekOf(start), sign * quarters)
  }
  const add: Tally['add'] = (id, reserved) => {
    unfinished.set(id, reserved)
    count(reserved, 1)
  }
  const update: Tally['update'] = ({ before, after }) => {
    const { id, ended } = after
    const reserved = reservedOf(JSON.parse(after.internal) as ReservationInternal)
    const former = unfinished.get(id)
    if (before !== undefined && former === undefined) return false
    if (former !== undefined) count(former, -1)
    unfinished.remove(id)
    // What is released is over at once, although its window ends with the second.
    if (ended === 'released') count(reserved, 1)
    else if (ended === null) add(id, reserved)
    return true
  }

  return {
    quartersIn: (week) => weeks.get(week) ?? 0,
    endingAfter: unfinished.endingAfter,
    unfinished: unfinished.get,
    size: unfinished.size,
    leftBy: unfinished.leftBy,
    add,
    addFinished: addQuarters,
    update,
  }
}
