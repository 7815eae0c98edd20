import * as E from 'fp-ts/lib/Either.js'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { described, integer, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { closedSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import type { Criteria } from '../../domain/events/criteria.ts'
import { priority } from '../../domain/events/request.ts'
import { keepalive } from '../../domain/events/reservation.ts'
import { bodyProblem, type Failure, failure, type Problem, refuse } from '../../domain/failure.ts'
import { findWaiting, REQUEST_STATUSES } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { epochMillisecondsOf, formatMilliseconds } from '../../domain/values/instant.ts'
import { aliveFor, aliveUntil, type Kept } from '../../domain/values/keepalive.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { type BodyOf, bodyOf, withoutBody } from '../codecs/body.ts'
import { ofPages, paging, waitUntil } from '../codecs/lists.ts'
import { type QueryOf, queryOf } from '../codecs/query.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../protocol/call.ts'
import type { Code } from '../protocol/problem.ts'
import { everyone, get, holders, post, type Route, refTo } from '../protocol/route.ts'
import { CSV, CSV_COLUMNS } from '../response/csv-lists.ts'
import { findVisible, userNow, visibilityOf, visibleTo, withUserName } from '../response/visibility.ts'
import { holderExists, oneTarget, seconds, TARGETS, target } from './create-reservation.ts'
import { respondWithList } from './list-response.ts'
import type { Parts } from './parts.ts'

const readQuery = waitUntil('the request does not wait any more')
const listQuery = queryOf(
  {
    ...paging,
    status: described(oneOf(...REQUEST_STATUSES), 'Only those in this state.'),
    user_id: described(opaqueId, 'Only those of this user; me is you.'),
    sut_id: described(opaqueId, 'Only those that name this SUT, or whose criteria it fits.'),
  },
  { rules: ofPages },
)

/** The response that shows a request, and until when it is kept alive if it waits. */
const requestResponse = (
  { nameOf }: Parts,
  { position, document }: Pick<Version, 'position' | 'document'>,
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

/** Undefined where the store cannot be read. */
const ifAvailable = <A>(reading: Promise<A>): Promise<A | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  })

/** Looks at an open read so often, in parts of a `keepalive`, that a sign of life is recorded before its end. */
const LOOKS = 4

type Read = Call<unknown, QueryOf<typeof readQuery>>

/**
 * Waits until a request does not wait any more, and gives signs of its life meanwhile. A read on the page does not count:
 * it shows what others of the same user wait for, such as pipelines.
 */
const wait = async ({ endings, changeRequest }: Parts, call: Read, version: Version): Promise<Kept | undefined> => {
  const isCounted = call.user.session === undefined && call.user.role !== 'auditor'
  const { signal } = call.request
  const until = performance.now() + (call.query.wait ?? 0) * 1000
  for (;;) {
    // Where the store cannot be read, the explanation says so.
    const life = await ifAvailable(changeRequest.attend(version.id, isCounted ? envelopeOf(call) : undefined))
    const left = until - performance.now()
    if (left <= 0 || signal.aborted) return life
    const within = Math.min(left, life === undefined ? left : aliveFor(life) / LOOKS)
    const isTimeOver = await endings.wait('sut_request', version, within, signal)
    if (!isTimeOver) return life
  }
}

const isWaiting = ({ document }: Version): boolean => (JSON.parse(document) as SutRequest).status === 'waiting'

const read = async (parts: Parts, call: Read): RouteResult => {
  const { id, user, query } = call
  const request = await findVisible(parts, user, 'sut_request', id)
  if (E.isLeft(request)) return request
  if (!isWaiting(request.right)) return E.right(requestResponse(parts, request.right))
  const life = await wait(parts, call, request.right)
  const now = query.wait ? userNow(parts.users, user) : E.right(user)
  if (E.isLeft(now)) return now
  const { _id, scope, role } = now.right
  const reader = { _id, scope, seesQuotas: role !== 'tester' }
  const explained = await parts.explain(id, reader)
  // Who waits is known here before the views show it, or as soon.
  const how = explained === undefined ? 'latest' : 'newest'
  const shown = await findVisible(parts, now.right, 'sut_request', id, how)
  if (E.isLeft(shown)) return shown
  if (!isWaiting(shown.right)) return E.right(requestResponse(parts, shown.right, life))
  const more = explained ?? { position: 0, waits_for: [], expected_at: null }
  const document = `${shown.right.document.slice(0, -1)},${JSON.stringify(more).slice(1)}`
  return E.right(requestResponse(parts, { ...shown.right, document }, life))
}

const list = (parts: Parts, call: Call<unknown, QueryOf<typeof listQuery>>) => {
  const { query, user } = call
  const { status, user_id, sut_id } = query
  return respondWithList(parts, call, ['sut_request', 'sutRequests', 'sut_requests'], async () => {
    const sut = sut_id === undefined ? E.right(undefined) : await visibleTo(parts, user).newest('sut', sut_id)
    if (E.isLeft(sut)) return sut
    const passedOver = await ifAvailable(parts.passedOver())
    return E.right({
      query: {
        ...{ status, user_id, visibility: visibilityOf(user) },
        ...(sut_id !== undefined && { sut: { _id: sut_id, isSeen: sut.right !== undefined } }),
      },
      columns: CSV_COLUMNS.sut_request,
      show: (document) => {
        const request = JSON.parse(document) as SutRequest
        const isPassedOver = request.status === 'waiting' && passedOver?.(request._id) === true
        return JSON.stringify({ ...withUserName(request, parts.nameOf), ...(isPassedOver && { passed_over: true }) })
      },
    })
  })
}

export const requestReads: readonly Route<Parts>[] = [
  get('/api/sut_request', {
    id: 'listRequests',
    summary: 'List requests, newest first',
    description: 'passed_over is there, and true, of one that waits and that nobody has asked for, for its keepalive.',
    roles: everyone,
    otherMediaTypes: [CSV],
    query: listQuery,
    answer: refTo('SutRequestList'),
    refusals: ['list_too_large', 'store_full'],
    handler: list,
  }),
  get('/api/sut_request/:id', {
    id: 'readRequest',
    summary: 'Read a request, or wait for its end',
    guide: 'any-machine.md#what-it-waits-for',
    description:
      'While it waits, position is the number of those before it that share a SUT with it, waits_for says why it waits, and expected_at is when it is granted if nothing else happens; null if that cannot be said. With wait, it is answered when it does not wait any more, or then. If it was made with keepalive, each read by its user, or by who made it, keeps it alive.',
    roles: everyone,
    query: readQuery,
    answer: refTo('SutRequestRead'),
    isKept: true,
    refusals: ['request_not_found', 'store_full'],
    handler: read,
  }),
]

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
  const sut = await visibleTo(parts, user).newest('sut', sut_id)
  if (E.isLeft(sut)) return sut
  if (sut.right === undefined) {
    const problems = [bodyProblem('invalid', 'sut_id', 'is not the id of a SUT')]
    return E.right(failure('sut_not_found', 'No SUT has this id.', { problems }))
  }
  const isRetired = sut.right.ended === 'retired'
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
  const result = await makeRequest(envelopeOf(call), asked)
  if (E.isLeft(result)) return result
  const { id, revision, storePosition } = result.right
  const shown = await objects.after('sut_request', id, REQUESTS_STREAM, { kind: 'recorded', revision, storePosition })
  const { keepalive: seconds, created_at } = JSON.parse(shown.document) as SutRequest
  const life = seconds === null ? undefined : { keepalive: seconds, began: epochMillisecondsOf(created_at), kept: 0 }
  const { headers, ...response } = requestResponse(parts, shown, life)
  return E.right({ ...response, status: 201, headers: { ...headers, Location: `/api/sut_request/${id}` } })
}

/** What a command about a request that does not wait any more is answered with: how that ended. */
const respondEnded = async (parts: Parts, { user }: Call, id: string, isWithdrawal: boolean): RouteResult => {
  const request = await findVisible(parts, user, 'sut_request', id, 'latest')
  if (E.isLeft(request)) return request
  const { status, sut_reservation_id } = JSON.parse(request.right.document) as SutRequest
  if (status === 'granted')
    return refuse('request_granted', 'The request has been granted. Cancel its reservation.', {
      help: { ...(sut_reservation_id !== null && { sut_reservation_id }) },
    })
  if (status === 'withdrawn' && isWithdrawal) return E.right(requestResponse(parts, request.right))
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
    guide: 'any-machine.md#waiting',
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
    guide: 'any-machine.md#keeping-alive-while-it-waits',
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
    isDestructive: true,
    isIdempotent: true,
    ...withoutBody,
    answer: refTo('SutRequest'),
    refusals: OF_CHANGE,
    handler: (parts, call) => change(parts, call, 'withdraw'),
  }),
]
