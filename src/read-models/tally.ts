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
 * Counts what one user has reserved.
 *
 * @param from Unix seconds: reservations that ended by then are added as finished ones, so it is wrong before
 */
export const makeTally = (from: number) => {
  /** Until their end is recorded. */
  const unfinished = new Map<string, Reserved>()
  const weeks = new Map<number, number>()

  /** Counts reservations that are over. */
  const addFinished = (week: number, quarters: number) => void weeks.set(week, (weeks.get(week) ?? 0) + quarters)
  const count = ({ start, quarters, isExempt }: Reserved, sign: 1 | -1): void => {
    if (!isExempt) addFinished(weekOf(start), sign * quarters)
  }
  const add = (id: string, reserved: Reserved): void => {
    unfinished.set(id, reserved)
    count(reserved, 1)
  }

  return {
    from,
    quartersIn: (week: number) => weeks.get(week) ?? 0,
    endingAfter: (moment: number) => {
      let counted = 0
      for (const { end, isExempt } of unfinished.values()) if (!isExempt && end > moment) counted++
      return counted
    },
    unfinished: (id: string) => unfinished.get(id),
    /** Reservations kept. */
    size: () => unfinished.size,
    add,
    addFinished,
    /** Applies a change of one of the user's reservations. False if it does not fit: then the tally is wrong. */
    update: ({ before, after }: RowChange): boolean => {
      const { id, ended } = after
      const internal = JSON.parse(after.internal) as ReservationInternal
      const former = unfinished.get(id)
      if (before !== undefined && former === undefined) return false
      if (former !== undefined) count(former, -1)
      unfinished.delete(id)
      // What is released is over at once, although its window ends with the second.
      if (ended === 'released' || internal.recorded === 'end') count(reservedOf(internal), 1)
      else if (ended === null) add(id, reservedOf(internal))
      return true
    },
  }
}
