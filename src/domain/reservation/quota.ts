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

/** Refuses to exceed a quota by request, except for administrators. */
export const refuseBeyondQuota = (actor: Actor, isBeyondQuota: boolean): E.Either<Failure, never> | undefined =>
  isBeyondQuota && actor.role !== 'administrator'
    ? refuse('forbidden', 'Only administrators may exceed a quota with beyond_quota.')
    : undefined
