import * as E from 'fp-ts/lib/Either.js'
import type { Outcome, Runner } from '../../../commands/command-envelope.ts'
import type { IdempotencyKey } from '../../../commands/idempotency-key.ts'
import { createMatched, type Matched, type MatchedOptions } from '../../../commands/matching/create-matched.ts'
import type { Quotas } from '../../../commands/quotas.ts'
import type { Actor } from '../../../domain/decider.ts'
import type { Criteria } from '../../../domain/events/criteria.ts'
import type { Failure } from '../../../domain/failure.ts'
import type { CreateReservation } from '../../../domain/reservation/create.ts'
import { reservationDecider } from '../../../domain/reservation/decide.ts'
import type { QuotaUse } from '../../../domain/reservation/quota.ts'
import { isForbidden } from '../../../domain/reservation/rules.ts'
import type { WindowLimits } from '../../../domain/reservation/window-limits.ts'
import { type RandomHex, sutStream } from '../../../domain/values/ids.ts'
import type { StorePosition } from '../../../domain/values/position.ts'
import type { Users } from '../../../users/users.ts'
import type { ReservationBody } from '../../codecs/bodies.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../../protocol/route.ts'
import { madeResponse } from '../../response/keepalive.ts'
import { type Objects, viewsBehind } from '../../response/objects.ts'

export interface ReservationDependencies {
  readonly runner: Runner
  readonly objects: Objects
  readonly users: Users
  readonly quotas: Quotas
  readonly limits: WindowLimits
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** How SUTs are found that fit criteria. */
  readonly matching: Pick<MatchedOptions, 'search' | 'awaited' | 'catchUp' | 'isShared' | 'isClockAhead' | 'clock'>
  /** The response that a request got before, as far as the views have come. */
  readonly repeated: (key: IdempotencyKey) => E.Either<Refusal, RouteResponse> | undefined
}

type CreateCall = Call<ReservationBody>

/** Whether there is a user to reserve for. Who may not reserve for it does not learn that. */
export const holderExists = async (users: Users, actor: Actor, userId: string): Promise<boolean> => {
  if (users.byId(userId) === undefined && !isForbidden(actor, userId)) await users.catchUp()
  return users.byId(userId) !== undefined
}

/** What is asked for, whichever SUT it is to be. */
const makeAsked =
  ({ users, limits }: ReservationDependencies) =>
  async ({ body, user }: CreateCall) => {
    const { user_id = user._id, window, isBeyondQuota, keepalive } = body
    const userExists = await holderExists(users, user, user_id)
    return { actor: user, scope: user.scope, user_id, userExists, window, limits, isBeyondQuota, keepalive }
  }

type Asked = Awaited<ReturnType<ReturnType<typeof makeAsked>>>

/** Runs a create in the turn of its holder, whose quota may limit it. */
export const runInTurn = <A extends { readonly storePosition: StorePosition }>(
  quotas: Quotas,
  { actor, user_id, isBeyondQuota }: Pick<Asked, 'actor' | 'user_id' | 'isBeyondQuota'>,
  run: (quota: QuotaUse | undefined) => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> =>
  isBeyondQuota || isForbidden(actor, user_id) ? run(undefined) : quotas.run(user_id, run)

const makeRespond =
  ({ objects }: ReservationDependencies) =>
  async (stream: string, outcome: Outcome<unknown>, keepalive: number | undefined): Promise<RouteResponse> => {
    if (outcome.kind === 'already') throw new Error('a reservation was made without an event')
    return madeResponse(await objects.after('reservation', outcome.id, stream, outcome), keepalive)
  }

const makeCreateById = (dependencies: ReservationDependencies) => {
  const { runner, quotas, randomHex } = dependencies
  const [ask, respond] = [makeAsked(dependencies), makeRespond(dependencies)]
  return async (call: CreateCall, sut_id: string): RouteResult => {
    const stream = sutStream(sut_id)
    const asked = await ask(call)
    const common = { ...asked, sut_id, random: randomHex(8) }
    const ended = await runInTurn(quotas, asked, (quota) => {
      const command: CreateReservation = { type: 'CreateReservation', ...common, quota }
      return runner.run(reservationDecider, stream, { ...envelopeOf(call), command })
    })
    return E.isLeft(ended) ? ended : E.right(await respond(stream, ended.right, asked.keepalive))
  }
}

/** Creates a reservation of any SUT that fits criteria. */
const makeCreateMatched = (dependencies: ReservationDependencies) => {
  const { runner, users, quotas, randomHex, matching, repeated } = dependencies
  const [ask, respond] = [makeAsked(dependencies), makeRespond(dependencies)]
  return async (call: CreateCall, criteria: Criteria): RouteResult => {
    const { idempotencyKey } = call
    if (idempotencyKey !== undefined) {
      // Another instance may have answered the first request.
      if (!(await matching.catchUp())) return E.left(viewsBehind())
      const before = repeated(idempotencyKey)
      if (before !== undefined) return before
    }
    const asked = await ask(call)
    const holderScope = users.byId(asked.user_id)?.scope
    const ended = await runInTurn(quotas, asked, async (quota) => {
      const request = { ...asked, criteria, holderScope, quota }
      const made = await createMatched({ ...matching, runner, randomHex }, envelopeOf(call), request)
      return E.map((matched: Matched) => ({ ...matched, storePosition: matched.outcome.storePosition }))(made)
    })
    if (E.isLeft(ended)) return ended
    const { sutId, outcome } = ended.right
    return E.right(await respond(sutStream(sutId), outcome, asked.keepalive))
  }
}

/** POST /api/sut_reservation/create */
export const makeCreateReservation = (dependencies: ReservationDependencies) => {
  const [createById, createMatching] = [makeCreateById(dependencies), makeCreateMatched(dependencies)]
  return (call: CreateCall): RouteResult => {
    const { target } = call.body
    return 'sut_id' in target ? createById(call, target.sut_id) : createMatching(call, target.match)
  }
}
