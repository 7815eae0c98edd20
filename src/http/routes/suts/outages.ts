import * as E from 'fp-ts/lib/Either.js'
import { opaqueId } from '../../../domain/codec/codec.ts'
import {
  ceilMillisecond,
  floorMillisecond,
  formatMilliseconds,
  type OffsetTime,
} from '../../../domain/values/instant.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { Outages, SutOutages } from '../../../read-models/lists/outages.ts'
import { inOrder, SUTS_MAX, span } from '../../codecs/lists.ts'
import { type QueryOf, queryOf, refuseParameter, several } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { notFound, visibleTo } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'

const DAYS_MAX = 31
const SPAN_MAX_MS = DAYS_MAX * 86_400_000

const rules = [inOrder('from', 'to')]
const outagesOfOneQuery = queryOf({}, { required: span, rules })
const suts = several(opaqueId, 'Those of these SUTs, up to 100.', SUTS_MAX)
const outagesQuery = queryOf({}, { required: { ...span, sut_id: suts }, rules })

/** Changes of status per response. */
const CHANGES_MAX = 10_000

/** The outages of a SUT, each as a whole, and the parts of the span in which it was not monitored, or not probed yet. */
const show = ({ outages, unknown }: Outages) => ({
  outages: outages.map(({ from, to, cause }) => ({
    from: formatMilliseconds(from),
    // While it lasts.
    to: to === null ? null : formatMilliseconds(to),
    cause,
  })),
  unknown: unknown.map(({ from, to }) => ({ from: formatMilliseconds(from), to: formatMilliseconds(to) })),
})

const readSpan = async (
  { objects, clock }: Parts,
  { user: { scope }, query }: Call<unknown, { readonly from: OffsetTime; readonly to: OffsetTime }>,
  sut_ids: readonly string[],
): Promise<E.Either<Refusal, ListResult<readonly SutOutages[]>>> => {
  const [from, to, now] = [floorMillisecond(query.from.instant), ceilMillisecond(query.to.instant), clock()]
  if (to - from > SPAN_MAX_MS) return refuseParameter('to', `must be at most ${DAYS_MAX} days after from`)
  if (from >= now) return refuseParameter('from', 'is in the future')
  const read = await objects.showList('outages', { sut_ids, scope, from, to: Math.min(to, now), max: CHANGES_MAX })
  if (E.isLeft(read)) return read
  const { position, listed } = read.right
  const most = CHANGES_MAX.toLocaleString('en')
  return listed === undefined
    ? refuseParameter('to', `leaves more than ${most} changes; ask for less time or fewer SUTs`)
    : E.right({ position, listed })
}

const readOne = async (parts: Parts, call: Call<unknown, QueryOf<typeof outagesOfOneQuery>>): RouteResult => {
  const { id } = call
  const sut = await visibleTo(parts, call.user).newest('sut', id)
  if (E.isLeft(sut)) return sut
  const read = await readSpan(parts, call, [id])
  if (E.isLeft(read)) return read
  const { position, listed } = read.right
  const [only] = sut.right === undefined ? [] : listed
  if (only === undefined) return E.left(notFound('sut'))
  return E.right({ status: 200, body: JSON.stringify(show(only)), position })
}

const list = async (parts: Parts, call: Call<unknown, QueryOf<typeof outagesQuery>>): RouteResult => {
  const read = await readSpan(parts, call, call.query.sut_id)
  if (E.isLeft(read)) return read
  const { position, listed } = read.right
  const suts = listed.map((one) => ({ sut_id: one.sut_id, ...show(one) }))
  return E.right({ status: 200, body: JSON.stringify({ suts }), position })
}

const OUTAGES =
  'Outages that overlap the span, each as a whole and with its first cause, and the parts of the span in which nothing was known. The span is at most 31 days long, and ends now at the latest. With more than 10,000 changes it is refused.'

export const outageRoutes: readonly Route<Parts>[] = [
  get('/api/sut/:id/outages', {
    id: 'readOutages',
    summary: 'Find when a SUT was offline',
    guide: 'monitoring.md#outages',
    description: OUTAGES,
    roles: everyone,
    query: outagesOfOneQuery,
    answer: refTo('Outages'),
    refusals: ['sut_not_found', 'store_full'],
    handler: readOne,
  }),
  get('/api/outages', {
    id: 'listOutages',
    summary: 'Find when up to 100 SUTs were offline',
    description: `${OUTAGES} SUTs that are not found are left out.`,
    roles: everyone,
    query: outagesQuery,
    answer: refTo('OutagesList'),
    refusals: ['store_full'],
    handler: list,
  }),
]
