import * as E from 'fp-ts/lib/Either.js'
import type { SutRequest } from '../../../../projections/sut-request.ts'
import { orUnavailable } from '../../../commands/matching/offers.ts'
import type { ShownRequest } from '../../../commands/requests/change-request.ts'
import { bodyProblem, type Failure, failure } from '../../../domain/failure.ts'
import { requestDecider } from '../../../domain/request/decide.ts'
import { lifeOf } from '../../../domain/request/ending.ts'
import { findWaiting } from '../../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../../../domain/values/instant.ts'
import { aliveUntil, type Kept } from '../../../domain/values/keepalive.ts'
import type { Version } from '../../../read-models/tables/version.ts'
import { type SutRequestBody, sutRequestBody, withoutBody } from '../../codecs/bodies.ts'
import { type Declaration, holders, post, refTo } from '../../protocol/declaration.ts'
import type { Code } from '../../protocol/problem.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../../protocol/route.ts'
import { type UserNames, withUserName } from '../../response/user-names.ts'
import { type ScopedUser, visibleTo } from '../../response/visibility.ts'
import { holderExists } from '../create-reservation.ts'
import type { Parts } from '../parts.ts'

const notFound = (): E.Either<Failure, never> => E.left(failure('request_not_found', 'No request has this id.'))

/** The response that shows a request, and until when it is kept alive if it waits. */
export const requestResponse = (
  { position, document }: Version,
  nameOf: UserNames,
  life?: Kept | undefined,
): RouteResponse => {
  const request = JSON.parse(document) as SutRequest
  const isKept = life !== undefined && request.status === 'waiting'
  return {
    status: 200,
    body: JSON.stringify(withUserName(request, nameOf)),
    ...(position >= 0 && { position }),
    ...(isKept && { headers: { 'Keepalive-Until': formatMilliseconds(aliveUntil(life)) } }),
  }
}

/** The response that shows a new request. */
const madeResponse = (version: Version, nameOf: UserNames): RouteResponse => {
  const { keepalive, created_at } = JSON.parse(version.document) as SutRequest
  const life = keepalive === null ? undefined : { keepalive, began: epochMillisecondsOf(created_at), kept: 0 }
  const { headers, ...response } = requestResponse(version, nameOf, life)
  return { ...response, status: 201, headers: { ...headers, Location: `/api/sut_request/${version.id}` } }
}

/** Why nobody can wait for the SUT that a request names; undefined if somebody can. */
const refusalOfSut = async (
  { objects }: Parts,
  { body: { target }, user }: Call<SutRequestBody>,
): Promise<E.Either<Failure, Failure | undefined>> => {
  if (!('sut_id' in target)) return E.right(undefined)
  const found = await visibleTo(objects, user).newest('sut', target.sut_id)
  if (E.isLeft(found)) return found
  if (found.right === undefined) {
    const problems = [bodyProblem('invalid', 'sut_id', 'is not the id of a SUT')]
    return E.right(failure('sut_not_found', 'No SUT has this id.', { problems }))
  }
  const isRetired = found.right.ended === 'retired'
  return E.right(isRetired ? failure('sut_retired', 'The SUT has been retired and cannot be reserved.') : undefined)
}

const create = async (parts: Parts, call: Call<SutRequestBody>): RouteResult => {
  const { objects, users, nameOf, makeRequest } = parts
  const { body, user: actor } = call
  const { user_id = actor._id, ...wanted } = body
  const refused = await refusalOfSut(parts, call)
  if (E.isLeft(refused)) return refused
  await holderExists(users, actor, user_id)
  const holder = users.byId(user_id)
  const scopes = [actor.scope, holder?.scope].filter((scope) => scope !== undefined)
  const asked = { actor, user_id, holderRole: holder?.role, scopes, refusedSut: refused.right, ...wanted }
  const made = await makeRequest(envelopeOf(call), asked)
  if (E.isLeft(made)) return made
  const { id, revision, storePosition } = made.right
  const shown = await objects.after('sut_request', id, REQUESTS_STREAM, { kind: 'recorded', revision, storePosition })
  return E.right(madeResponse(shown, nameOf))
}

type Found = E.Either<Failure, Version>

/** Finds a request as far as a user sees it: with a scope, its own and those that a SUT in the scope fits. */
export const findRequest = async (
  { objects, isAnyFit }: Pick<Parts, 'objects' | 'isAnyFit'>,
  read: 'newest' | 'latest',
  id: string,
  { _id, scope }: ScopedUser,
): Promise<Found> => {
  const found = await objects[read]('sut_request', id)
  if (E.isLeft(found)) return found
  if (found.right === undefined) return notFound()
  const { user_id, match, sut_id } = JSON.parse(found.right.document) as SutRequest
  if (scope === undefined || user_id === _id) return E.right(found.right)
  const isSeen = await orUnavailable(async () => E.right(await isAnyFit({ criteria: match, sut_id, scopes: [scope] })))
  return E.chain((seen: boolean): Found => (seen ? E.right(found.right as Version) : notFound()))(isSeen)
}

/** Changes a request, and responds with it and how it is kept alive then. */
const change = async (
  parts: Parts,
  call: Call,
  type: keyof Parts['changeRequest'],
  lifeAfter: (id: string) => Promise<Kept | undefined> = async () => undefined,
): RouteResult => {
  const { objects, nameOf, changeRequest } = parts
  const { params, user } = call
  const id = params.id ?? ''
  const known = await findRequest(parts, 'newest', id, user)
  if (E.isLeft(known)) return known
  const changed = await changeRequest[type](envelopeOf(call), id, async () =>
    E.map(({ document }: Version): ShownRequest => {
      const { user_id, status, sut_reservation_id } = JSON.parse(document) as SutRequest
      return { user_id, status, sut_reservation_id }
    })(await findRequest(parts, 'latest', id, user)),
  )
  if (E.isLeft(changed)) return changed
  const shown = await objects.after('sut_request', id, REQUESTS_STREAM, changed.right)
  return E.right(requestResponse(shown, nameOf, await lifeAfter(id)))
}

const withdraw = (parts: Parts, call: Call) => change(parts, call, 'withdraw')

const keepAlive = (parts: Parts, call: Call) =>
  change(parts, call, 'keep', (id) =>
    parts.runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => {
      const request = findWaiting(queue, id)
      return request && lifeOf(request)
    }),
  )

const OF_TARGET: readonly Code[] = ['sut_required', 'sut_ambiguous', 'sut_not_found', 'sut_retired', 'no_sut_matches']

export const requestChanges: readonly Declaration<Parts>[] = [
  post({
    path: '/api/sut_request/:id/keepalive',
    id: 'keepRequest',
    summary: 'Keep a request alive',
    description:
      'For a request made with keepalive, whose seconds then count anew. Recorded only when less than half of them are left, so it may be sent often. One that was passed over has its place again. An Idempotency-Key is ignored.',
    roles: holders,
    ...withoutBody,
    ignoresRetryKey: true,
    answer: refTo('SutRequest'),
    isKept: true,
    refusals: [
      ...(['not_your_request', 'request_not_found', 'request_granted', 'request_over', 'not_kept_alive'] as const),
      'too_many_requests',
    ],
    handler: keepAlive,
  }),
  post({
    path: '/api/sut_request/:id/withdraw',
    id: 'withdrawRequest',
    summary: 'Withdraw a request',
    description: 'It waits no longer. One that has been withdrawn already is answered as it is.',
    roles: holders,
    ...withoutBody,
    answer: refTo('SutRequest'),
    refusals: ['not_your_request', 'request_not_found', 'request_granted', 'request_over'],
    handler: withdraw,
  }),
]

export const createRequest = post({
  path: '/api/sut_request/create',
  id: 'createRequest',
  summary: 'Reserve a SUT as soon as one is free',
  description:
    'Asks for one SUT, or for any that fits criteria, for duration seconds from when it is granted. It is granted in this answer if one is free for which nobody else waits. Otherwise it waits for wait seconds at most, a day unless given; 0 is now or never. Larger priorities go first, then earlier requests. Where keepalive is given, the request is passed over once nobody has asked for it for so many seconds, and expires after twice as many; the reservation is released unless it is kept alive.',
  roles: holders,
  body: sutRequestBody,
  answer: refTo('SutRequest'),
  isCreation: true,
  isKept: true,
  refusals: [
    ...OF_TARGET,
    ...(['not_your_request', 'priority_too_high', 'user_not_found', 'too_many_requests', 'no_sut_free'] as const),
    ...(['quota_exceeded', 'window_too_long'] as const),
  ],
  handler: create,
})
