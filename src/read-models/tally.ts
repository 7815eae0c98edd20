import type { ReservationInternal } from '../../projections/reservation.ts'
import { weekOf } from '../domain/calendar/week.ts'
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

export type Tally = ReturnType<typeof makeTally>

/**
 * Counts what one user has reserved. Reservations that are over leave when they are counted.
 *
 * @param now Unix seconds: reservations that ended by then are added as finished ones
 */
export const makeTally = (now: number) => {
  const unfinished = new Map<string, Reserved>()
  const weeks = new Map<number, number>()
  let counted = 0
  /** No reservation ends before it. */
  let earliestEnd = Number.POSITIVE_INFINITY
  let leftBy = now

  /** Counts reservations that are over. */
  const addFinished = (week: number, quarters: number) => void weeks.set(week, (weeks.get(week) ?? 0) + quarters)
  const count = ({ start, quarters, isExempt }: Reserved, sign: 1 | -1): void => {
    if (!isExempt) addFinished(weekOf(start), sign * quarters)
  }
  const remove = (id: string): void => {
    if (unfinished.get(id)?.isExempt === false) counted--
    unfinished.delete(id)
  }
  const add = (id: string, reserved: Reserved): void => {
    remove(id)
    unfinished.set(id, reserved)
    if (!reserved.isExempt) counted++
    earliestEnd = Math.min(earliestEnd, reserved.end)
    count(reserved, 1)
  }

  return {
    quartersIn: (week: number) => weeks.get(week) ?? 0,
    endingAfter: (moment: number) => {
      if (moment < earliestEnd) return counted
      leftBy = Math.max(leftBy, moment)
      earliestEnd = Number.POSITIVE_INFINITY
      for (const [id, { end }] of unfinished) {
        if (end <= moment) remove(id)
        else earliestEnd = Math.min(earliestEnd, end)
      }
      return counted
    },
    unfinished: (id: string) => unfinished.get(id),
    /** Reservations kept. */
    size: () => unfinished.size,
    /**
     * The moment in Unix seconds by which reservations that have left had ended. If the clock is set back before it, the
     * tally is wrong.
     */
    leftBy: () => leftBy,
    add,
    addFinished,
    /** Applies a change of one of the user's reservations. False if it does not fit: then the tally is wrong. */
    update: ({ before, after }: RowChange): boolean => {
      const { id, ended } = after
      const reserved = reservedOf(JSON.parse(after.internal) as ReservationInternal)
      const former = unfinished.get(id)
      if (before !== undefined && former === undefined) return false
      if (former !== undefined) count(former, -1)
      remove(id)
      // What is released is over at once, although its window ends with the second.
      if (ended === 'released') count(reserved, 1)
      else if (ended === null) add(id, reserved)
      return true
    },
  }
}
