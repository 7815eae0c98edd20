import * as E from 'fp-ts/lib/Either.js'
import type { SutRequest } from '../../../../projections/sut-request.ts'
import { orUnavailable } from '../../../commands/matching/offers.ts'
import { aliveFor, type Kept } from '../../../domain/values/keepalive.ts'
import { StoreUnavailable } from '../../../event-store/event-store.ts'
import type { Reader } from '../../../read-models/requests/explain.ts'
import type { User } from '../../../users/user.ts'
import { requestWaitQuery, type SutRequestsQuery, sutRequestsQuery, type WaitQuery } from '../../codecs/lists.ts'
import { type Declaration, everyone, get, refTo } from '../../protocol/declaration.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { CSV } from '../../response/csv-lists.ts'
import type { Objects } from '../../response/objects.ts'
import { withUserName } from '../../response/user-names.ts'
import { userNow } from '../../response/user-now.ts'
import { visibilityOf, visibleTo } from '../../response/visibility.ts'
import { respondWithList } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { findRequest, requestResponse } from './requests.ts'

const readerOf = ({ _id, scope, role }: User): Reader => ({ _id, scope, seesQuotas: role !== 'tester' })

/** Looks at an open read so often, in parts of a `keepalive`, that a sign of life is recorded before its end. */
const LOOKS = 4

/** Undefined where the store cannot be read. */
const ifAvailable = <A>(reading: Promise<A>): Promise<A | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  })

type Read = Call<unknown, WaitQuery>

/**
 * Waits until a request does not wait any more, and gives signs of its life meanwhile. A read on
 * the page does not count: it shows what others of the same user wait for, such as pipelines.
 */
const wait = async ({ endings, attend }: Parts, call: Read, id: string): Promise<Kept | undefined> => {
  const attended = (call: Read, id: string): Promise<Kept | undefined> => {
    const isCounted = call.user.session === undefined && call.user.role !== 'auditor'
    // Where the store cannot be read, the explanation says so.
    return ifAvailable(attend(id, isCounted ? envelopeOf(call) : undefined))
  }

  const until = performance.now() + (call.query.wait ?? 0) * 1000
  for (;;) {
    const life = await attended(call, id)
    const left = until - performance.now()
    if (left <= 0 || call.isGone()) return life
    const isTimeOver = await endings.wait(id, Math.min(left, life === undefined ? left : aliveFor(life) / LOOKS))
    if (!isTimeOver) return life
  }
}

const read = async (parts: Parts, call: Read): RouteResult => {
  const { users, nameOf } = parts
  const { params, user, query } = call
  const id = params.id ?? ''
  const found = await findRequest(parts, 'newest', id, user)
  if (E.isLeft(found)) return found
  const isWaiting = (document: string): boolean => (JSON.parse(document) as SutRequest).status === 'waiting'
  if (!isWaiting(found.right.document)) return E.right(requestResponse(found.right, nameOf))
  const life = await wait(parts, call, id)
  const reader = query.wait ? userNow(users, user) : E.right(user)
  if (E.isLeft(reader)) return reader
  const explained = await orUnavailable(async () => E.right(await parts.explain(id, readerOf(reader.right))))
  if (E.isLeft(explained)) return explained
  // Who waits is known here before the views show it, or as soon.
  const now = await findRequest(parts, explained.right === undefined ? 'latest' : 'newest', id, reader.right)
  if (E.isLeft(now)) return now
  const { document } = now.right
  const more = explained.right ?? { position: 0, waits_for: [], expected_at: null }
  const shown = isWaiting(document) ? `${document.slice(0, -1)},${JSON.stringify(more).slice(1)}` : document
  return E.right(requestResponse({ ...now.right, document: shown }, nameOf, life))
}

const list = (parts: Parts, call: Call<unknown, SutRequestsQuery>) => {
  const { objects, nameOf } = parts
  const { query, user } = call
  const { status, user_id, sut_id } = query
  const seen: Pick<Objects, 'newest'> = {
    newest: async (_, id) => {
      const found = await findRequest(parts, 'newest', id, user)
      return E.isLeft(found) && found.left.code === 'request_not_found' ? E.right(undefined) : found
    },
  }
  return respondWithList(parts, call, ['sut_request', 'sut_requests', seen], async (part) => {
    const sut = sut_id === undefined ? E.right(undefined) : await visibleTo(objects, user).newest('sut', sut_id)
    if (E.isLeft(sut)) return sut
    const read = await objects.showList('sutRequests', {
      ...{ ...part, status, user_id },
      ...(sut_id !== undefined && { sut: { _id: sut_id, isSeen: sut.right !== undefined } }),
      visibility: visibilityOf(user),
    })
    if (E.isLeft(read)) return read
    const passedOver = await ifAvailable(parts.passedOver())
    const show = (document: string): string => {
      const request = JSON.parse(document) as SutRequest
      const isPassedOver = request.status === 'waiting' && passedOver?.(request._id) === true
      return JSON.stringify({ ...withUserName(request, nameOf), ...(isPassedOver && { passed_over: true }) })
    }
    return E.right({ ...read.right, csvList: { of: 'sut_request' }, show })
  })
}

/** Reads of requests as a user sees them. */
export const requestReads: readonly Declaration<Parts>[] = [
  get({
    path: '/api/sut_request',
    id: 'listRequests',
    summary: 'List requests, newest first',
    description: 'passed_over is there, and true, of one that waits and that nobody has asked for, for its keepalive.',
    roles: everyone,
    otherMediaTypes: [CSV],
    query: sutRequestsQuery,
    answer: refTo('SutRequestList'),
    refusals: ['list_too_large', 'store_full'],
    handler: list,
  }),
  get({
    path: '/api/sut_request/:id',
    id: 'readRequest',
    summary: 'Read a request, or wait for its end',
    description:
      'While it waits, position is the number of those before it that share a SUT with it, waits_for says why it waits, and expected_at is when it is granted if nothing else happens; null if that cannot be said. With wait, it is answered when it does not wait any more, or then. If it was made with keepalive, each read by its user, or by who made it, keeps it alive.',
    roles: everyone,
    query: requestWaitQuery,
    answer: refTo('SutRequestRead'),
    isKept: true,
    refusals: ['request_not_found', 'store_full'],
    handler: read,
  }),
]
