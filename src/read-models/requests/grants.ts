import { QUARTER, quarterAt } from '../../domain/calendar/window.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import type { Role } from '../../domain/events/user.ts'
import { makeFit, type Profile } from '../../domain/matching/fit.ts'
import { NEVER, type Opening, openingAt } from '../../domain/matching/openings.ts'
import type { Grants, Moment } from '../../domain/request/rank.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import { type QuotaUse, quartersOf, refuseExceeding } from '../../domain/reservation/quota.ts'
import { fits, type Scope } from '../../domain/user/scope.ts'
import type { KnownSut, KnownSuts } from '../matching/suts.ts'

/** What decides whether a request could be granted a SUT. */
export interface GrantsOptions {
  readonly suts: Pick<KnownSuts, 'find' | 'moves'>
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

const tests = new WeakMap<Criteria, (profile: Profile) => boolean>()

const testOf = (criteria: Criteria): ((profile: Profile) => boolean) => {
  const known = tests.get(criteria)
  if (known !== undefined) return known
  const test = makeFit(criteria)
  tests.set(criteria, test)
  return test
}

/** Whether a SUT is what a request asks for, and in the scopes of its holder and of who made it. */
const isFor = (
  { _id, profile }: KnownSut,
  { match, sut_id, user_id, asker }: Waiting,
  personOf: GrantsOptions['personOf'],
): boolean => {
  if (profile === undefined) return false
  if (match === undefined ? sut_id !== _id : !testOf(match)(profile)) return false
  const isInScope = (userId: string): boolean => fits(profile.tags, personOf(userId)?.scope ?? {})
  return isInScope(user_id) && (asker._id === user_id || isInScope(asker._id))
}

/** Whether the quota of a user allows one more reservation of a length in seconds beside its open offers. */
const isWithinQuota = (
  { user_id, duration }: Waiting,
  start: number,
  use: QuotaUse,
  { open, now }: Moment,
): boolean => {
  const added = [
    // An offer that has led to a reservation is counted already.
    ...open.ofUser(user_id).filter(({ sut_reservation_id }) => use.usage.unfinished(sut_reservation_id) === undefined),
    { start, duration },
  ]
  const additions = added.map((each) => ({
    start: each.start,
    quarters: quartersOf(each.duration),
    reservations: 1 as const,
  }))
  return refuseExceeding(use, additions, now) === undefined
}

export const makeGrants = ({ suts, personOf, useOf }: GrantsOptions): Grants => {
  let quarter = 0
  /** As many windows had moved: a command that is overtaken is decided again. */
  let moved = suts.moves.size()
  let openings = new Map<string, Opening>()
  const openingOf = ({ _id, windows, turnaround }: KnownSut, now: number): Opening => {
    if (quarterAt(now) !== quarter || suts.moves.size() !== moved) {
      quarter = quarterAt(now)
      moved = suts.moves.size()
      openings = new Map()
    }
    const known = openings.get(_id)
    if (known !== undefined) return known
    const opening = openingAt(windows, quarter, turnaround)
    openings.set(_id, opening)
    return opening
  }

  return {
    windowFor: (request, sutId, moment) => {
      const sut = suts.find(sutId)
      if (sut?.isBookable !== true) return undefined
      const { now } = moment
      const { begins, until } = openingOf(sut, now)
      const end = Math.ceil((now / 1000 + request.duration) / QUARTER) * QUARTER
      if (begins === NEVER || end > until) return undefined
      const { user_id } = request
      if (!mayHold(personOf(user_id)) || !isFor(sut, request, personOf)) return undefined
      const use = useOf(user_id)
      if (use === 'unknown') return 'unknown'
      const window = { start: quarter, end }
      return use === undefined || isWithinQuota(request, begins, use, moment) ? window : undefined
    },
  }
}
