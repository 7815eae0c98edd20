import { weekOf } from '../domain/calendar/week.ts'
import type { Recorded } from '../domain/event.ts'
import type { Usage } from '../domain/reservation/quota.ts'
import { epochSecondsOf } from '../domain/values/instant.ts'

/** A reservation, in Unix seconds. */
interface Reserved {
  readonly start: number
  readonly end: number
  /** Whether it is beyond the quota and does not count. */
  readonly isExempt: boolean
}

/** Counts what one user has reserved. */
export interface Tally extends Usage {
  readonly add: (id: string, reserved: Reserved) => void
  /** Counts reservations that are over. */
  readonly addFinished: (week: number, seconds: number) => void
  /** Applies an event of one of the user's reservations. False if it does not fit: then the tally is wrong. */
  readonly update: (event: Recorded) => boolean
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

  const addSeconds = (week: number, seconds: number): void => {
    weeks.set(week, (weeks.get(week) ?? 0) + seconds)
  }
  const count = ({ start, end, isExempt }: Reserved, sign: 1 | -1): void => {
    if (!isExempt) addSeconds(weekOf(start), sign * (end - start))
  }
  const add: Tally['add'] = (id, reserved) => {
    unfinished.set(id, reserved)
    count(reserved, 1)
  }
  /** Takes a reservation out of what is counted; undefined if it is not there. */
  const take = (id: string): Reserved | undefined => {
    const before = unfinished.get(id)
    if (before === undefined) return undefined
    count(before, -1)
    unfinished.remove(id)
    return before
  }

  return {
    secondsIn: (week) => weeks.get(week) ?? 0,
    endingAfter: unfinished.endingAfter,
    counts: (id) => unfinished.get(id)?.isExempt === false,
    size: unfinished.size,
    leftBy: unfinished.leftBy,
    add,
    addFinished: addSeconds,
    update: (event) => {
      switch (event.type) {
        case 'ReservationCreated': {
          const { _id, start_time, end_time, beyond_quota: isExempt = false } = event.data
          add(_id, { start: epochSecondsOf(start_time), end: epochSecondsOf(end_time), isExempt })
          return true
        }
        case 'ReservationExtended': {
          const { _id, end_time, beyond_quota: isExempt = false } = event.data
          const before = take(_id)
          if (before !== undefined) add(_id, { ...before, end: epochSecondsOf(end_time), isExempt })
          return before !== undefined
        }
        case 'ReservationReleased': {
          const before = take(event.data._id)
          // Over at once, although its window ends with the second.
          if (before !== undefined) count({ ...before, end: epochSecondsOf(event.data.end_time) }, 1)
          return before !== undefined
        }
        case 'ReservationCancelled':
          return take(event.data._id) !== undefined
        default:
          return true
      }
    },
  }
}
