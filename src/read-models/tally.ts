import type { QuotaExemptionColumns, ReservationColumns } from '../../projections/reservation.ts'
import { weekOf } from '../domain/calendar/week.ts'
import { countExtended, countReleased, countShortened, type Usage } from '../domain/reservation/quota.ts'
import type { RowChange } from './tables/version.ts'

/** A reservation, in Unix seconds. */
interface Reserved {
  readonly start: number
  readonly end: number
  /** Unix milliseconds from which it holds its SUT. */
  readonly heldFrom: number
  /** What it counts for the quota. */
  readonly quarters: number
  /** Whether it is beyond the quota and does not count. */
  readonly isExempt: boolean
}

/** Counts what one user has reserved. */
export interface Tally extends Usage {
  readonly add: (id: string, reserved: Reserved) => void
  /** Counts reservations that are over. */
  readonly addFinished: (week: number, quarters: number) => void
  /**
   * Applies a change of one of the user's reservations, or of whether it is exempt. False if it does not fit: then the
   * tally is wrong.
   */
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

/** Changes what is counted, one reservation at a time. */
interface Changes extends Pick<Tally, 'add'> {
  /** Takes a reservation out of what is counted; undefined if it is not there. */
  readonly take: (id: string) => Reserved | undefined
  readonly count: (reserved: Reserved, sign: 1 | -1) => void
}

const makeUpdate =
  ({ add, take, count }: Changes): Tally['update'] =>
  ({ projection, before, after }) => {
    const { id, ended } = after
    if (projection === 'reservation' && before === undefined) {
      const [, , start, end, lateness, quarters] = after.columns as ReservationColumns
      add(id, { start, end, heldFrom: start * 1000 + lateness, quarters, isExempt: false })
      return true
    }
    const reserved = take(id)
    if (reserved === undefined) return false
    if (projection === 'quota_exemption') {
      const [, isExempt] = after.columns as QuotaExemptionColumns
      add(id, { ...reserved, isExempt })
      return true
    }
    const { quarters, heldFrom, end: former } = reserved
    const [, , , end] = after.columns as ReservationColumns
    // Over at once, although its window ends with the second.
    if (ended === 'released') count({ ...reserved, quarters: countReleased(quarters, heldFrom, end) }, 1)
    else if (ended === null) {
      const isShorter = end < former
      const counted = isShorter ? countShortened(quarters, { ...reserved, end }) : countExtended(quarters, former, end)
      add(id, { ...reserved, end, quarters: counted })
    }
    return true
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
  const take = (id: string): Reserved | undefined => {
    const before = unfinished.get(id)
    if (before === undefined) return undefined
    count(before, -1)
    unfinished.remove(id)
    return before
  }

  return {
    quartersIn: (week) => weeks.get(week) ?? 0,
    endingAfter: unfinished.endingAfter,
    unfinished: unfinished.get,
    size: unfinished.size,
    leftBy: unfinished.leftBy,
    add,
    addFinished: addQuarters,
    update: makeUpdate({ add, take, count }),
  }
}
