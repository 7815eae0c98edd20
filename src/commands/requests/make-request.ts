import * as E from 'fp-ts/lib/Either.js'
import { weekOf } from '../../domain/calendar/week.ts'
import { type ResolvedWindow, resolveWindow } from '../../domain/calendar/window.ts'
import type { Actor } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/event.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import type { Role } from '../../domain/events/user.ts'
import { bodyProblem, type Failure, invalid, refuse } from '../../domain/failure.ts'
import { subjectId } from '../../domain/idempotency-records.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { type QuotaUse, quartersOf, toHours } from '../../domain/reservation/quota.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { windowProblems } from '../../domain/reservation/window-limits.ts'
import { quotaDocument } from '../../domain/user/quota.ts'
import type { Scope } from '../../domain/user/scope.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import type { Sender } from '../command-envelope.ts'
import { appendFailure, clockAhead, orUnavailable } from '../failures.ts'
import { refuseUncounted } from '../quotas.ts'
import { findOffered, findPrevious, type MakingParts, makeLook, NOBODY, type RequestParts } from './search.ts'

/** What is asked for: any SUT that fits, or one SUT, for `duration` seconds from when it is granted. */
export interface AskedRequest {
  readonly actor: Actor
  readonly user_id: string
  /** Undefined if there is no such user. */
  readonly holderRole: Role | undefined
  readonly target: { readonly match: Criteria } | { readonly sut_id: string }
  readonly duration: number
  /** Seconds; 0 is now or never. */
  readonly wait: number
  readonly priority: number
  readonly keepalive: number | undefined
  /** Of the actor and of the holder; without one, every SUT. */
  readonly scopes: readonly Scope[]
  /** Why nobody can wait for the SUT that is named. */
  readonly refusedSut: Failure | undefined
}

/** Where the stream has what a request is answered with. */
interface AnsweredRequest extends Pick<Recorded, 'revision'> {
  readonly id: string
  readonly storePosition: StorePosition
}

type Answer = E.Either<Failure, AnsweredRequest>

/** How often the end of an offer is looked for that other instances may be ending too. */
const LOOKS_MAX = 4

/** Refuses what no week could ever grant. */
const refuseForever = (
  { quota, usage }: QuotaUse,
  duration: number,
  now: number,
): E.Either<Failure, never> | undefined => {
  const { hours_per_week, reservations_max } = quota
  const hours = toHours(quartersOf(duration))
  const isTooLong = hours_per_week !== null && hours > hours_per_week
  if (!isTooLong && reservations_max !== 0) return undefined
  const limit = isTooLong ? `${hours_per_week} hours in a week, and this needs ${hours}` : '0 reservations'
  const hoursUsed = toHours(usage.quartersIn(weekOf(now / 1000)))
  const used = { hours: hoursUsed, reservations: usage.endingAfter(now / 1000) }
  return refuse('quota_exceeded', `The quota is ${limit}: it would wait in vain.`, {
    help: { used, quota: quotaDocument(quota), week: null },
  })
}

const refuseAsked = (
  { actor, user_id, holderRole, priority, refusedSut }: AskedRequest,
  resolved: ResolvedWindow,
  { limits, quotas, clock }: Pick<RequestParts, 'limits' | 'quotas' | 'clock'>,
): E.Either<Failure, never> | undefined => {
  const ofHolder =
    holderRole === 'auditor' ? [bodyProblem('invalid', 'user_id', 'is an auditor, who holds no SUT')] : []
  const problems = [...windowProblems('relative', resolved, clock(), limits), ...ofHolder]
  if (problems.length > 0) return E.left(invalid(problems))
  if (isForbidden(actor, user_id)) return refuse('not_your_request', 'Testers can only wait for themselves.')
  const highest = actor.role === 'tester' ? quotas.priorityMaxOf(user_id) : null
  if (highest !== null && priority > highest)
    return refuse('priority_too_high', `The quota allows priorities of up to ${highest}.`)
  if (holderRole === undefined) {
    const unknown = [bodyProblem('invalid', 'user_id', 'is not the id of a user')]
    return refuse('user_not_found', 'No user has this id.', { problems: unknown })
  }
  return refusedSut && E.left(refusedSut)
}

const outOfScope = (): E.Either<Failure, never> =>
  refuse('no_sut_matches', 'The SUT is outside the scope of the user.', {
    problems: [bodyProblem('invalid', 'sut_id', 'is outside the scope of the user')],
  })

/** Makes the function that says what a request was answered with, and ends its first offer if that is still open. */
const makeAnswer = (parts: MakingParts) => {
  const { store, finishOffer } = parts
  /** The event at a revision or, if that is an offer, what ended it. */
  const read = async (revision: number): Promise<Recorded | undefined> => {
    let first: Recorded | undefined
    for await (const page of store.readStream(REQUESTS_STREAM, revision - 1)) {
      for (const event of page) {
        first ??= event
        if (first.type !== 'RequestOffered') return first
        const isEnd = event.type === 'RequestGranted' || event.type === 'RequestOfferClosed'
        if (isEnd && event.data.sut_reservation_id === first.data.sut_reservation_id) return event
      }
    }
    return first
  }

  return (revision: number, requestId: string): Promise<Answer> =>
    orUnavailable(async () => {
      for (let look = 0; look < LOOKS_MAX; look++) {
        const last = await read(revision)
        if (last === undefined) break
        const id = subjectId(last)
        if (last.type !== 'RequestOffered')
          return E.right({ id, revision: last.revision, storePosition: last.storePosition })
        const request = await findOffered(parts, id)
        if (request !== undefined && E.isLeft(await finishOffer(request, requestId))) break
      }
      return E.left(appendFailure('unknown'))
    })
}

/**
 * Makes the function that records a request for a SUT and grants it one at once, if one is free for which nobody else
 * waits. A repeated request is answered with what the first was: the request as the end of its first offer left it.
 */
export const makeMakeRequest = (parts: MakingParts) => {
  const { runner, quotas, grantsFor, isClockAhead, reachableFor, clock, randomHex } = parts
  const look = makeLook(parts)
  const answer = makeAnswer(parts)

  return async (sender: Sender, asked: AskedRequest): Promise<Answer> => {
    if (isClockAhead()) return E.left(clockAhead())
    const previous = await findPrevious(parts, sender)
    if (E.isLeft(previous)) return previous
    if (previous.right !== undefined) return answer(previous.right.revision, sender.requestId)
    const { actor, user_id, target, duration, wait, priority, keepalive } = asked
    const window = { form: 'relative', startIn: 0, duration } as const
    const refused = refuseAsked(asked, resolveWindow(window, clock()), parts)
    if (refused !== undefined) return refused
    const named = 'match' in target ? { criteria: target.match } : target
    const wanted = { ...named, scopes: asked.scopes, window, seed: sender.requestId }
    const grantsOf = () => grantsFor(user_id)
    let seen = await look(wanted, grantsOf)
    if (E.isRight(seen) && !seen.right.isAnyFit()) seen = await look(wanted, grantsOf, new Set())
    if (E.isLeft(seen)) return seen
    const { choice, isAnyFit, refuse } = seen.right
    if (!isAnyFit()) return 'match' in target ? refuse() : outOfScope()
    const use = (await quotas.usesOf([user_id]))(user_id)
    if (use === 'unknown') return refuseUncounted()
    const forever = use && refuseForever(use, duration, clock())
    if (forever !== undefined) return forever
    const { at, ...chosen } = choice ?? { candidates: [], grants: NOBODY, at: undefined }
    const command = {
      ...({ type: 'MakeRequest', actor, ...chosen, reachableFor: reachableFor(), wait } as const),
      request: { ...target, duration, priority, user_id, ...(keepalive !== undefined && { keepalive }) },
      ...{ random: randomHex(8), reservationRandom: randomHex(8) },
    }
    const result = await runner.run(requestDecider, REQUESTS_STREAM, { ...sender, command, at })
    if (E.isRight(result)) return answer(result.right.revision, sender.requestId)
    return result.left.code === 'no_sut_free' ? refuse() : result
  }
}
