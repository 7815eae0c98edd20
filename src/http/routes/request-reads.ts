import * as E from 'fp-ts/lib/Either.js'
import type { SutRequest } from '../../../projections/sut-request.ts'
import { described, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { REQUEST_STATUSES } from '../../domain/request/queue.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { aliveFor, aliveUntil, type Kept } from '../../domain/values/keepalive.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { ofPages, paging, waitUntil } from '../codecs/lists.ts'
import { type QueryOf, queryOf } from '../codecs/query.ts'
import { type Call, envelopeOf, type RouteResponse, type RouteResult } from '../protocol/call.ts'
import { everyone, get, type Route, refTo } from '../protocol/route.ts'
import { CSV, CSV_COLUMNS } from '../response/csv-lists.ts'
import { findVisible, userNow, visibilityOf, visibleTo, withUserName } from '../response/visibility.ts'
import { respondWithList } from './list-response.ts'
import type { Parts } from './parts.ts'

const readQuery = waitUntil('the request does not wait any more')
const listQuery = queryOf(
  {
    ...paging,
    status: described(oneOf(...REQUEST_STATUSES), 'Only those in this state.'),
    user_id: described(opaqueId, 'Only those of this user.'),
    sut_id: described(opaqueId, 'Only those that name this SUT, or whose criteria it fits.'),
  },
  { rules: ofPages },
)

/** The response that shows a request, and until when it is kept alive if it waits. */
export const requestResponse = (
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
  const until = performance.now() + (call.query.wait ?? 0) * 1000
  for (;;) {
    // Where the store cannot be read, the explanation says so.
    const life = await ifAvailable(changeRequest.attend(version.id, isCounted ? envelopeOf(call) : undefined))
    const left = until - performance.now()
    if (left <= 0 || call.request.socket.destroyed) return life
    const within = Math.min(left, life === undefined ? left : aliveFor(life) / LOOKS)
    const isTimeOver = await endings.wait('sut_request', version, within)
    if (!isTimeOver) return life
  }
}

const isWaiting = ({ document }: Version): boolean => (JSON.parse(document) as SutRequest).status === 'waiting'

const read = async (parts: Parts, call: Read): RouteResult => {
  const { id, user, query } = call
  const found = await findVisible(parts, user, 'sut_request', id)
  if (E.isLeft(found)) return found
  if (!isWaiting(found.right)) return E.right(requestResponse(parts, found.right))
  const life = await wait(parts, call, found.right)
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
