import { QUARTER, quarterAt, type Window } from '../../domain/calendar/window.ts'
import type { Role } from '../../domain/events/user.ts'
import { makeFit } from '../../domain/matching/fit.ts'
import type { Waiting } from '../../domain/request/queue.ts'
import type { Grants } from '../../domain/request/rank.ts'
import { type QuotaUse, quartersOf, refuseExceeding } from '../../domain/reservation/quota.ts'
import { fits, type Scope } from '../../domain/user/scope.ts'
import { isFreeIn, type KnownSut, type KnownSuts } from '../matching/suts.ts'

export interface GrantsOptions {
  readonly suts: Pick<KnownSuts, 'find'>
  /** A user who has not been removed. */
  readonly personOf: (userId: string) => Person | undefined
  /** The quota of a user and what is used of it; undefined if nothing limits it, `unknown` if it was not read. */
  readonly useOf: (userId: string) => QuotaUse | 'unknown' | undefined
}

interface Person {
  readonly role: Role
  /** Without one, every SUT. */
  readonly scope?: Scope
}

/** Whether a user may be granted anything. */
export const mayHold = (person: Person | undefined): boolean => person !== undefined && person.role !== 'auditor'

/** The scopes that the SUTs of a request must be in: those of its user and of who made it. */
export const scopesOf = (
  { user_id, asker }: Pick<Waiting, 'user_id' | 'asker'>,
  personOf: (userId: string) => { readonly scope?: Scope } | undefined,
): readonly Scope[] =>
  (asker._id === user_id ? [user_id] : [user_id, asker._id])
    .map((userId) => personOf(userId)?.scope)
    .filter((scope) => scope !== undefined)

/** The window of a request that is granted now. @param now Unix milliseconds */
export const windowNow = ({ duration }: Pick<Waiting, 'duration'>, now: number): Window => ({
  start: quarterAt(now),
  end: Math.ceil((now / 1000 + duration) / QUARTER) * QUARTER,
})

export const makeGrants = ({ suts, personOf, useOf }: GrantsOptions): Grants => {
  const isFor = ({ _id, profile }: KnownSut, request: Waiting): boolean => {
    if (profile === undefined) return false
    const { match, sut_id } = request
    if (match === undefined ? sut_id !== _id : !makeFit(match)(profile)) return false
    return scopesOf(request, personOf).every((scope) => fits(profile.tags, scope))
  }

  return {
    windowFor: (request, sutId, now) => {
      const sut = suts.find(sutId)
      const window = windowNow(request, now)
      return sut !== undefined && isFreeIn(sut, window) && isFor(sut, request) ? window : undefined
    },
    mayHave: ({ user_id, duration }, { open, now }) => {
      if (!mayHold(personOf(user_id))) return false
      const use = useOf(user_id)
      if (use === undefined || use === 'unknown') return use ?? true
      const added = [
        // An offer that has led to a reservation is counted already.
        ...open.filter(
          (offer) => offer.user_id === user_id && use.usage.unfinished(offer.sut_reservation_id) === undefined,
        ),
        { start: quarterAt(now), duration },
      ]
      const additions = added.map((each) => ({
        start: each.start,
        quarters: quartersOf(each.duration),
        reservations: 1 as const,
      }))
      return refuseExceeding(use, additions, now) === undefined
    },
  }
}
