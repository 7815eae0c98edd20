import * as E from 'fp-ts/lib/Either.js'
import { described, opaqueId } from '../../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../../domain/codec/json-schema.ts'
import type { OfflineCause } from '../../../domain/events/monitoring.ts'
import { invalid, type Problem } from '../../../domain/failure.ts'
import {
  ceilMillisecond,
  floorMillisecond,
  formatMilliseconds,
  type OffsetTime,
} from '../../../domain/values/instant.ts'
import { BEFORE_FIRST } from '../../../domain/values/position.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { Outages, SutOutages } from '../../../read-models/lists/outages.ts'
import type { User } from '../../../users/user.ts'
import { span, spanProblems } from '../../codecs/lists.ts'
import { inQuery, parametersOf, queryOf, several } from '../../codecs/query.ts'
import { SUTS_MAX } from '../../codecs/reservations.ts'
import { type Declaration, everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Refusal } from '../../protocol/problem.ts'
import type { Call, DecodeQuery, RouteResult } from '../../protocol/route.ts'
import { ifReaching } from '../../response/objects.ts'
import { notFound, visibleTo } from '../../response/visibility.ts'
import type { Parts } from '../parts.ts'

/** A span in Unix milliseconds. */
interface OutagesOfOneQuery {
  readonly from: number
  readonly to: number
}

interface OutagesQuery extends OutagesOfOneQuery {
  readonly sut_ids: readonly string[]
}

/** Days of a span. */
const DAYS_MAX = 31
const DAY_MS = 86_400_000

/** Decodes a span that is short enough. */
const spanQuery = <A extends { readonly from: OffsetTime; readonly to: OffsetTime }, Q>(
  decode: DecodeQuery<A>,
  make: (span: OutagesOfOneQuery, read: A) => Q,
): DecodeQuery<Q> => {
  const read = queryOf(
    decode,
    (asked): E.Either<readonly Problem[], Q> => {
      const [from, to] = [floorMillisecond(asked.from.instant), ceilMillisecond(asked.to.instant)]
      return to - from > DAYS_MAX * DAY_MS
        ? E.left([inQuery('to', `must be at most ${DAYS_MAX} days after from`)])
        : E.right(make({ from, to }, asked))
    },
    (parameters) => spanProblems(parameters, 'from', 'to'),
  )
  return withSchema(
    (parameters) => E.flatten(read(parameters)),
    () => schemaOf(decode),
  )
}

const outagesOfOneQuery = spanQuery(parametersOf({}, span), (asked) => asked)

const outagesQuery = spanQuery(
  parametersOf({}, { ...span, sut_id: described(several(opaqueId, SUTS_MAX), 'Those of these SUTs, up to 100.') }),
  (asked, { sut_id: sut_ids }): OutagesQuery => ({ ...asked, sut_ids }),
)

/** Outages of a SUT in a span, as responses show them. */
export interface ShownOutages {
  /** Those that overlap the span, each as a whole. `to` is null while it lasts. */
  readonly outages: readonly { readonly from: string; readonly to: string | null; readonly cause: OfflineCause }[]
  /** The parts of the span in which the SUT was not monitored, or not probed yet. */
  readonly unknown: readonly { readonly from: string; readonly to: string }[]
}

/** Changes of status per response. */
const CHANGES_MAX = 10_000

const show = ({ outages, unknown }: Outages): ShownOutages => ({
  outages: outages.map(({ from, to, cause }) => ({
    from: formatMilliseconds(from),
    to: to === null ? null : formatMilliseconds(to),
    cause,
  })),
  unknown: unknown.map(({ from, to }) => ({ from: formatMilliseconds(from), to: formatMilliseconds(to) })),
})

const tooMany = (): Refusal =>
  invalid([
    inQuery('to', `leaves more than ${CHANGES_MAX.toLocaleString('en')} changes; ask for less time or fewer SUTs`),
  ])

const readSpan = async (
  { objects, clock }: Parts,
  { sut_ids, from, to }: OutagesQuery,
  user: User,
): Promise<E.Either<Refusal, ListResult<readonly SutOutages[]>>> => {
  const now = clock()
  if (from >= now) return E.left(invalid([inQuery('from', 'is in the future')]))
  const asked = { sut_ids, scope: user.scope, from, to: Math.min(to, now), max: CHANGES_MAX }
  const answered = await objects.showList('outages', asked)
  if (E.isLeft(answered)) return answered
  const { position, listed } = answered.right
  return listed === undefined ? E.left(tooMany()) : E.right({ position, listed })
}

const read = async (parts: Parts, { params, query, user }: Call<unknown, OutagesOfOneQuery>): RouteResult => {
  const id = params.id ?? ''
  const found = await visibleTo(parts.objects, user).newest('sut', id)
  if (E.isLeft(found)) return found
  const answered = ifReaching(
    found.right?.created ?? BEFORE_FIRST,
    await readSpan(parts, { ...query, sut_ids: [id] }, user),
  )
  if (E.isLeft(answered)) return answered
  const { position, listed } = answered.right
  const [only] = found.right === undefined ? [] : listed
  if (only === undefined) return E.left(notFound('sut'))
  return E.right({ status: 200, body: JSON.stringify(show(only)), position })
}

const list = async (parts: Parts, { query, user }: Call<unknown, OutagesQuery>): RouteResult => {
  const answered = await readSpan(parts, query, user)
  if (E.isLeft(answered)) return answered
  const { position, listed } = answered.right
  const suts = listed.map((one) => ({ sut_id: one.sut_id, ...show(one) }))
  return E.right({ status: 200, body: JSON.stringify({ suts }), position })
}

const OUTAGES =
  'Outages that overlap the span, each as a whole and with its first cause, and the parts of the span in which nothing was known. The span is at most 31 days long, and ends now at the latest. With more than 10,000 changes it is refused.'

export const outageRoutes: readonly Declaration<Parts>[] = [
  get({
    path: '/api/sut/:id/outages',
    id: 'readOutages',
    summary: 'Find when a SUT was offline',
    description: OUTAGES,
    roles: everyone,
    query: outagesOfOneQuery,
    answer: refTo('Outages'),
    refusals: ['sut_not_found', 'store_full'],
    handler: read,
  }),
  get({
    path: '/api/outages',
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
