import * as E from 'fp-ts/lib/Either.js'
import type { Quotas } from '../../commands/quotas.ts'
import type { RequestedWindow } from '../../domain/calendar/window.ts'
import { boolean, instant, integer, opaqueId } from '../../domain/codec/codec.ts'
import { closedSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import type { Actor } from '../../domain/decider.ts'
import { AskedCriteria, type Criteria } from '../../domain/events/criteria.ts'
import { keepalive } from '../../domain/events/reservation.ts'
import type { Failure } from '../../domain/failure.ts'
import type { CreateReservation } from '../../domain/reservation/create.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import type { QuotaUse } from '../../domain/reservation/quota.ts'
import { isForbidden } from '../../domain/reservation/rules.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { StorePosition } from '../../domain/values/position.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { Users } from '../../users/users.ts'
import { type BodyOf, bodyOf, oneForm } from '../codecs/body.ts'
import { type Call, envelopeOf, type RouteResult } from '../protocol/call.ts'
import type { Code } from '../protocol/problem.ts'
import { holders, post, refTo } from '../protocol/route.ts'
import { documentResponse, viewsBehind } from '../response/objects.ts'
import type { Parts } from './parts.ts'

/** Codes with which several routes about reservations refuse: those of a window, whatever form it has, and others. */
export const OF_WINDOW: readonly Code[] = [
  'window_empty',
  'window_over',
  'window_too_long',
  'window_too_far',
  'window_in_the_past',
]
export const OF_FORMS: readonly Code[] = ['window_required', 'window_ambiguous', ...OF_WINDOW]
export const OF_BOOKING: readonly Code[] = ['forbidden', 'sut_inactive', 'reservation_conflict', 'quota_exceeded']
export const OF_SUT: readonly Code[] = ['sut_not_found', 'sut_retired']

export const RESERVATION_READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port']

export const seconds = integer(1, Number.MAX_SAFE_INTEGER)
/** A SUT, or what any SUT must be. */
export const TARGETS = [{ sut_id: opaqueId }, { match: AskedCriteria }] as const
export const target = { ...TARGETS[0], ...TARGETS[1] }
export const oneTarget = oneForm('sut_required', 'sut_ambiguous', ['sut_id'], ['match'])

/** The two forms of a window. */
const explicit = { start_time: instant, end_time: instant }
const relative = { start_in: integer(0, Number.MAX_SAFE_INTEGER), duration: seconds }
const oneWindow = oneForm('window_required', 'window_ambiguous', Object.keys(explicit), Object.keys(relative))
/** Who holds it, the caller unless given, and the seconds after which it is released unless it is kept alive. */
const holder = { user_id: opaqueId, keepalive, beyond_quota: boolean }

export const reservationBody = bodyOf(closed('Reservation', {}, { ...target, ...holder, ...explicit, ...relative }), {
  readOnly: RESERVATION_READ_ONLY,
  rules: [oneTarget, oneWindow],
  schema: () => ({
    oneOf: TARGETS.flatMap((one) => [explicit, relative].map((form) => closedSchema({ ...one, ...form }, holder))),
  }),
})
type ReservationBody = BodyOf<typeof reservationBody>

const windowOf = ({ start_time, end_time, start_in, duration }: ReservationBody): RequestedWindow =>
  start_time && end_time
    ? { form: 'explicit', start: start_time, end: end_time }
    : { form: 'relative', startIn: start_in as number, duration: duration as number }

/** Whether there is a user to reserve for. Who may not reserve for it does not learn that. */
export const holderExists = async (users: Users, actor: Actor, userId: string): Promise<boolean> => {
  if (users.byId(userId) === undefined && !isForbidden(actor, userId)) await users.catchUp()
  return users.byId(userId) !== undefined
}

/** Runs a create in the turn of its holder, whose quota may limit it. */
export const runInTurn = <A extends { readonly storePosition: StorePosition }>(
  quotas: Quotas,
  { actor, user_id, isBeyondQuota }: Pick<CreateReservation, 'actor' | 'user_id' | 'isBeyondQuota'>,
  run: (quota: QuotaUse | undefined) => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure, A>> =>
  isBeyondQuota || isForbidden(actor, user_id) ? run(undefined) : quotas.run(user_id, run)

type AskedReservation = Omit<CreateReservation, 'type' | 'random' | 'sut_id'>

const createMatching = async (parts: Parts, call: Call, asked: AskedReservation, criteria: Criteria): RouteResult => {
  const { objects, views, store, users, repeated, createMatched } = parts
  const { idempotencyKey } = call
  if (idempotencyKey !== undefined) {
    // Another instance may have answered the first request.
    if (!(await waitForHead(views, store))) return E.left(viewsBehind())
    const before = repeated(idempotencyKey)
    if (before !== undefined) return before
  }
  const scopes = [asked.scope, users.byId(asked.user_id)?.scope].filter((scope) => scope !== undefined)
  const result = await createMatched(envelopeOf(call), { ...asked, criteria, scopes })
  // It may have been answering meanwhile.
  if (E.isLeft(result)) return (idempotencyKey && repeated(idempotencyKey)) ?? result
  const { _id, sutId, outcome } = result.right
  const version = await objects.after('reservation', _id, sutStream(sutId), outcome)
  return E.right(documentResponse('reservation', version, true))
}

/** Creates one of a SUT by its id, or of any that fits criteria. */
const create = async (parts: Parts, call: Call<ReservationBody>): RouteResult => {
  const { users, limits, runner, objects, quotas, randomHex } = parts
  const { user, body } = call
  const { sut_id, match, user_id = user._id, beyond_quota: isBeyondQuota = false, keepalive } = body
  const userExists = await holderExists(users, user, user_id)
  const window = windowOf(body)
  const asked = { actor: user, scope: user.scope, user_id, userExists, limits, isBeyondQuota, keepalive, window }
  if (sut_id === undefined) return createMatching(parts, call, asked, match as Criteria)
  const stream = sutStream(sut_id)
  const made = await runInTurn(quotas, asked, (quota) => {
    const command: CreateReservation = { ...asked, type: 'CreateReservation', sut_id, quota, random: randomHex(8) }
    return runner.run(reservationDecider, stream, { ...envelopeOf(call), command })
  })
  if (E.isLeft(made)) return made
  if (made.right.kind === 'already') throw new Error('a reservation was made without an event')
  const version = await objects.after('reservation', made.right.id, stream, made.right)
  return E.right(documentResponse('reservation', version, true))
}

const MATCHING: readonly Code[] = ['sut_required', 'sut_ambiguous', 'no_sut_matches', 'no_sut_free']

export const createReservation = post('/api/sut_reservation/create', {
  id: 'createReservation',
  summary: 'Reserve a SUT',
  guide: 'reservations.md',
  description:
    'Send start_time and end_time, or start_in and duration in seconds. The window is extended to full quarter-hours of UTC. If a reservation was released within the first of them, the window starts at that time. A conflict lists the reservations in the way and the next free window of that length. With beyond_quota, which only administrators may send, it does not count for the quota of its holder. With keepalive it is released once nobody has kept it alive for so many seconds. With match in place of sut_id, any active SUT that fits, is not known to be offline and is free is reserved: first the one whose free span around the window is shortest, then the one that has been idle longest. If none is free, the refusal names the next window, and the longest from the same start.',
  roles: holders,
  body: reservationBody,
  answer: refTo('Reservation'),
  isKept: true,
  isCreation: true,
  refusals: ['not_your_reservation', 'user_not_found', ...OF_SUT, ...OF_BOOKING, ...MATCHING, ...OF_FORMS],
  handler: create,
})
