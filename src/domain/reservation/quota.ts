import type * as E from 'fp-ts/lib/Either.js'
import { formatWeek, weekOf } from '../calendar/week.ts'
import type { Actor } from '../decider.ts'
import type { Quota } from '../events/user.ts'
import { type Failure, refuse } from '../failure.ts'
import { quotaDocument } from '../user/document.ts'

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

/** Refuses what exceeds a quota. Checked after everything else. `now` is in Unix milliseconds. */
export const refuseExceeding = (
  { quota, usage }: QuotaUse,
  { start, quarters, reservations }: Addition,
  now: number,
): E.Either<Failure, never> | undefined => {
  const { hours_per_week, reservations_max } = quota
  const week = weekOf(start)
  const [before, count] = [usage.quartersIn(week), usage.endingAfter(now / 1000)]
  const help = { used: { hours: toHours(before), reservations: count }, quota: quotaDocument(quota) }
  if (reservations > 0 && reservations_max !== null && count + reservations > reservations_max) {
    const detail = `The quota is ${reservations_max} reservations that are not over. The user has ${count}.`
    return refuse('quota_exceeded', detail, { help: { ...help, week: null } })
  }
  if (hours_per_week === null || toHours(before + quarters) <= hours_per_week) return undefined
  const name = formatWeek(week)
  const detail = `The quota is ${hours_per_week} hours in a week. The user has ${help.used.hours} in ${name}, and this would add ${toHours(quarters)}.`
  return refuse('quota_exceeded', detail, { help: { ...help, week: name } })
}

/** Refuses to exceed a quota by request, except for administrators. */
export const refuseBeyondQuota = (actor: Actor, isBeyondQuota: boolean): E.Either<Failure, never> | undefined =>
  isBeyondQuota && actor.role !== 'administrator'
    ? refuse('forbidden', 'Only administrators may exceed a quota with beyond_quota.')
    : undefined
