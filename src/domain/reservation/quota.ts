/** What a reservation counts for the quota of its holder, in whole quarter-hours. */

import type * as E from 'fp-ts/lib/Either.js'
import { formatWeek, weekOf } from '../calendar/week.ts'
import { QUARTER, type RequestedWindow, type Window } from '../calendar/window.ts'
import type { DataOf } from '../event.ts'
import type { Quota } from '../events/user.ts'
import { type Failure, refuse } from '../failure.ts'
import { quotaDocument } from '../user/quota.ts'
import { epochSecondsOf } from '../values/instant.ts'

/** Quarters that contain so many seconds, at least one. */
export const quartersOf = (seconds: number): number => Math.max(Math.ceil(seconds / QUARTER), 1)

/** Quarters of a window. One that begins when another was released has a part of its first quarter. */
export const quartersIn = ({ start, end }: Window): number => quartersOf(end - start)

/** Of a window asked for by its length, that length counts: its ends may lie in two more quarters than asked for. */
export const countNew = (asked: RequestedWindow, window: Window): number =>
  asked.form === 'relative' ? quartersOf(asked.duration) : quartersIn(window)

/** Unless it says otherwise, a reservation counts its window. */
export const countCreated = ({ counted, start_time, end_time }: DataOf<'ReservationCreated'>): number =>
  counted ?? quartersIn({ start: epochSecondsOf(start_time), end: epochSecondsOf(end_time) })

/** Ends are on the grid until a release. */
export const countExtended = (counted: number, former: number, end: number): number =>
  counted + (end - former) / QUARTER

/** A window that ends earlier counts what is left of it, unless that is more than it was asked for. */
export const countShortened = (counted: number, window: Window): number => Math.min(counted, quartersIn(window))

/** @param heldFrom Unix milliseconds from which the SUT was held; `end` is in Unix seconds */
export const countReleased = (counted: number, heldFrom: number, end: number): number =>
  Math.min(counted, quartersOf(end - heldFrom / 1000))

/** What a tester has reserved. Reservations made beyond the quota do not count. */
export interface Usage {
  /** Quarter-hours counted for the reservations that start in a week. */
  readonly quartersIn: (week: number) => number
  /** The number of reservations that have not been released and end after a moment in Unix seconds. */
  readonly endingAfter: (moment: number) => number
  /** What a reservation that is not over counts, unless it is exempt; undefined if it is not known. */
  readonly unfinished: (reservationId: string) => { readonly quarters: number; readonly isExempt: boolean } | undefined
}

/** The quota that a command must keep to, and what of it is used. */
export interface QuotaUse {
  readonly quota: Quota
  readonly usage: Usage
}

/** What a command would add. */
export interface Addition {
  /** The start of the reservation in Unix seconds. Its week has all of its hours. */
  readonly start: number
  readonly quarters: number
  readonly reservations: 0 | 1
}

export const toHours = (quarters: number): number => quarters / 4

/** The first week in which additions exceed hours, and how many quarters they add there. */
const findFullWeek = (
  usage: Usage,
  additions: readonly Addition[],
  hoursMax: number,
): { readonly week: number; readonly added: number } | undefined => {
  const weeks = new Map<number, number>()
  for (const { start, quarters } of additions) weeks.set(weekOf(start), (weeks.get(weekOf(start)) ?? 0) + quarters)
  for (const [week, added] of weeks) if (toHours(usage.quartersIn(week) + added) > hoursMax) return { week, added }
  return undefined
}

/** Refuses what exceeds a quota. Checked after everything else. `now` is in Unix milliseconds. */
export const refuseExceeding = (
  { quota, usage }: QuotaUse,
  additions: readonly Addition[],
  now: number,
): E.Either<Failure, never> | undefined => {
  const { hours_per_week, reservations_max } = quota
  const count = usage.endingAfter(now / 1000)
  const added = additions.reduce((sum, { reservations }) => sum + reservations, 0)
  const helpIn = (week: number) => {
    const used = { hours: toHours(usage.quartersIn(week)), reservations: count }
    return { used, quota: quotaDocument(quota) }
  }
  if (added > 0 && reservations_max !== null && count + added > reservations_max) {
    const further = added === 1 ? '' : `, and this would add ${added}`
    const detail = `The quota is ${reservations_max} reservations that are not over. The user has ${count}${further}.`
    const help = { ...helpIn(weekOf((additions[0] as Addition).start)), week: null }
    return refuse('quota_exceeded', detail, { help })
  }
  const full = hours_per_week === null ? undefined : findFullWeek(usage, additions, hours_per_week)
  if (full === undefined) return undefined
  const [name, help] = [formatWeek(full.week), helpIn(full.week)]
  const detail = `The quota is ${hours_per_week} hours in a week. The user has ${help.used.hours} in ${name}, and this would add ${toHours(full.added)}.`
  return refuse('quota_exceeded', detail, { help: { ...help, week: name } })
}
