import * as E from 'fp-ts/lib/Either.js'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { integer, opaqueId } from '../../domain/codec/codec.ts'
import { closedSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { priority } from '../../domain/events/request.ts'
import { keepalive } from '../../domain/events/reservation.ts'
import { bodyProblem, type Failure, failure, type Problem, refuse } from '../../domain/failure.ts'
import { findWaiting } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { type BodyOf, bodyOf, withoutBody } from '../codecs/body.ts'
import { type Call, envelopeOf, type RouteResult } from '../protocol/call.ts'
import type { Code } from '../protocol/problem.ts'
import { holders, post, type Route, refTo } from '../protocol/route.ts'
import { findVisible, visibleTo } from '../response/visibility.ts'
import { holderExists, oneTarget, seconds, TARGETS, target } from './create-reservation.ts'
import type { Parts } from './parts.ts'
import { requestResponse } from './request-reads.ts'

const READ_ONLY = ['_id', 'created_at', 'updated_at', 'user_name', 'expires_at', 'status', 'sut_reservation_id']
/** Seconds that a request may wait, and those it waits unless it says otherwise. */
const [WAIT_MAX, WAIT] = [604_800, 86_400]
/** Characters of criteria as JSON. They are kept in memory, with those of others, for as long as a request waits. */
const CRITERIA_MAX = 8_192

const needed = { duration: seconds }
const options = { user_id: opaqueId, wait: integer(0, WAIT_MAX), priority, keepalive }

const shortCriteria = (body: unknown): readonly Problem[] =>
  JSON.stringify(Object(body).match ?? {}).length > CRITERIA_MAX
    ? [bodyProblem('invalid', 'match', `must be at most ${CRITERIA_MAX} characters of JSON where it waits`)]
    : []

/** A SUT that is waited for: one, or any that fits criteria. */
const requestBody = bodyOf(closed('SutRequest', needed, { ...target, ...options }), {
  readOnly: READ_ONLY,
  rules: [oneTarget],
  lastRule: shortCriteria,
  schema: () => ({ oneOf: TARGETS.map((one) => closedSchema({ ...one, ...needed }, options)) }),
})

/** Why nobody can wait for the SUT that a request names; undefined if somebody can. */
const refusalOfSut = async (
  parts: Parts,
  { body: { sut_id }, user }: Call<BodyOf<typeof requestBody>>,
): Promise<E.Either<Failure, Failure | undefined>> => {
  if (sut_id === undefined) return E.right(undefined)
  const found = await visibleTo(parts, user).newest('sut', sut_id)
  if (E.isLeft(found)) return found
  if (found.right === undefined) {
    const problems = [bodyProblem('invalid', 'sut_id', 'is not the id of a SUT')]
    return E.right(failure('sut_not_found', 'No SUT has this id.', { problems }))
  }
  const isRetired = found.right.ended === 'retired'
  return E.right(isRetired ? failure('sut_retired', 'The SUT has been retired and cannot be reserved.') : undefined)
}

const create = async (parts: Parts, call: Call<BodyOf<typeof requestBody>>): RouteResult => {
  const { objects, users, makeRequest } = parts
  const { body, user: actor } = call
  const { user_id = actor._id, sut_id, match, duration, wait = WAIT, priority = 0, keepalive } = body
  const refused = await refusalOfSut(parts, call)
  if (E.isLeft(refused)) return refused
  await holderExists(users, actor, user_id)
  const holder = users.byId(user_id)
  const scopes = [actor.scope, holder?.scope].filter((scope) => scope !== undefined)
  const target = sut_id === undefined ? { match: match as Criteria } : { sut_id }
  const wanted = { target, duration, wait, priority, keepalive }
  const asked = { actor, user_id, holderRole: holder?.role, scopes, refusedSut: refused.right, ...wanted }
  const made = await makeRequest(envelopeOf(call), asked)
  if (E.isLeft(made)) return made
  const { id, revision, storePosition } = made.right
  const shown = await objects.after('sut_request', id, REQUESTS_STREAM, { kind: 'recorded', revision, storePosition })
  const { keepalive: seconds, created_at } = JSON.parse(shown.document) as SutRequest
  const life = seconds === null ? undefined : { keepalive: seconds, began: epochMillisecondsOf(created_at), kept: 0 }
  const { headers, ...response } = requestResponse(parts, shown, life)
  return E.right({ ...response, status: 201, headers: { ...headers, Location: `/api/sut_request/${id}` } })
}

/** What a command about a request that does not wait any more is answered with: how that ended. */
const respondEnded = async (parts: Parts, { user }: Call, id: string, isWithdrawal: boolean): RouteResult => {
  const ended = await findVisible(parts, user, 'sut_request', id, 'latest')
  if (E.isLeft(ended)) return ended
  const { status, sut_reservation_id } = JSON.parse(ended.right.document) as SutRequest
  if (status === 'granted')
    return refuse('request_granted', 'The request has been granted. Cancel its reservation.', {
      help: { ...(sut_reservation_id !== null && { sut_reservation_id }) },
    })
  if (status === 'withdrawn' && isWithdrawal) return E.right(requestResponse(parts, ended.right))
  return refuse('request_over', `The request has ${status === 'withdrawn' ? 'been withdrawn' : 'expired'}.`)
}

/** Changes a request, and responds with it and how it is kept alive then. */
const change = async (parts: Parts, call: Call, type: 'withdraw' | 'keep'): RouteResult => {
  const { objects, changeRequest } = parts
  const { id, user } = call
  const known = await findVisible(parts, user, 'sut_request', id)
  if (E.isLeft(known)) return known
  const { user_id } = JSON.parse(known.right.document) as SutRequest
  const changed = await changeRequest[type](envelopeOf(call), { _id: id, user_id })
  if (E.isLeft(changed) && changed.left.code === 'request_over')
    return respondEnded(parts, call, id, type === 'withdraw')
  if (E.isLeft(changed)) return changed
  const shown = await objects.after('sut_request', id, REQUESTS_STREAM, changed.right)
  return E.right(requestResponse(parts, shown, findWaiting(changed.right.state.queue, id)?.life))
}

const OF_TARGET: readonly Code[] = ['sut_required', 'sut_ambiguous', 'sut_not_found', 'sut_retired', 'no_sut_matches']

const OF_CHANGE: readonly Code[] = ['not_your_request', 'request_not_found', 'request_granted', 'request_over']

export const requestChanges: readonly Route<Parts>[] = [
  post('/api/sut_request/create', {
    id: 'createRequest',
    summary: 'Reserve a SUT as soon as one is free',
    description:
      'Asks for one SUT, or for any that fits criteria, for duration seconds from when it is granted. It is granted in this answer if one is free for which nobody else waits. Otherwise it waits for wait seconds at most, a day unless given; 0 is now or never. Larger priorities go first, then earlier requests. Where keepalive is given, the request is passed over once nobody has asked for it for so many seconds, and expires after twice as many; the reservation is released unless it is kept alive.',
    roles: holders,
    body: requestBody,
    answer: refTo('SutRequest'),
    isCreation: true,
    isKept: true,
    refusals: [
      ...OF_TARGET,
      ...(['not_your_request', 'priority_too_high', 'user_not_found', 'too_many_requests', 'no_sut_free'] as const),
      ...(['quota_exceeded', 'window_too_long'] as const),
    ],
    handler: create,
  }),
  post('/api/sut_request/:id/keepalive', {
    id: 'keepRequest',
    summary: 'Keep a request alive',
    description:
      'For a request made with keepalive, whose seconds then count anew. Recorded only when less than half of them are left, so it may be sent often. One that was passed over has its place again. An Idempotency-Key is ignored.',
    roles: holders,
    ...withoutBody,
    ignoresRetryKey: true,
    answer: refTo('SutRequest'),
    isKept: true,
    refusals: [...OF_CHANGE, 'not_kept_alive', 'too_many_requests'],
    handler: (parts, call) => change(parts, call, 'keep'),
  }),
  post('/api/sut_request/:id/withdraw', {
    id: 'withdrawRequest',
    summary: 'Withdraw a request',
    description: 'It waits no longer. One that has been withdrawn already is answered as it is.',
    roles: holders,
    ...withoutBody,
    answer: refTo('SutRequest'),
    refusals: OF_CHANGE,
    handler: (parts, call) => change(parts, call, 'withdraw'),
  }),
]
