import * as E from 'fp-ts/lib/Either.js'
import { instant, opaqueId } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import type { Problem } from '../../domain/failure.ts'
import { ceilMillisecond, floorMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { combineProblems, spanProblems } from './lists.ts'
import { inQuery, parametersOf, several } from './query.ts'
import { SUTS_MAX } from './reservations.ts'

/** A span in Unix milliseconds. */
export interface OutagesOfOneQuery {
  readonly from: number
  readonly to: number
}

export interface OutagesQuery extends OutagesOfOneQuery {
  readonly sut_ids: readonly string[]
}

/** Days of a span. */
const DAYS_MAX = 31
const DAY_MS = 86_400_000

const span = { from: instant, to: instant }
const ofOne = parametersOf(span)
const ofSeveral = parametersOf({ ...span, sut_id: several(opaqueId, SUTS_MAX) })

const SPAN = ['from', 'to']
const SPAN_AND_SUTS = ['sut_id', ...SPAN]

const missingProblems = (params: Parameters, required: readonly string[]): readonly Problem[] => [
  ...required.filter((name) => !params.has(name)).map((name) => inQuery(name, 'is required')),
  ...spanProblems(params, 'from', 'to'),
]

type Read = { readonly [K in keyof typeof span]?: OffsetTime | undefined }

const spanOf = ({ from, to }: Read): E.Either<readonly Problem[], OutagesOfOneQuery> => {
  const first = from === undefined ? 0 : floorMillisecond(from.instant)
  const last = to === undefined ? 0 : ceilMillisecond(to.instant)
  return last - first > DAYS_MAX * DAY_MS
    ? E.left([inQuery('to', `must be at most ${DAYS_MAX} days after from`)])
    : E.right({ from: first, to: last })
}

export const outagesOfOneQuery: DecodeQuery<OutagesOfOneQuery> = (params) =>
  E.flatten(combineProblems(missingProblems(params, SPAN), ofOne(params), spanOf))
withSchema(outagesOfOneQuery, () => ({ ...schemaOf(ofOne), required: SPAN }))

/** Parameters that may be repeated. */
export const OUTAGES_REPEATABLE = ['sut_id']

export const outagesQuery: DecodeQuery<OutagesQuery> = (params) =>
  E.flatten(
    combineProblems(missingProblems(params, SPAN_AND_SUTS), ofSeveral(params), ({ sut_id: sut_ids = [], ...read }) =>
      E.map((asked: OutagesOfOneQuery) => ({ ...asked, sut_ids }))(spanOf(read)),
    ),
  )
withSchema(outagesQuery, () => ({ ...schemaOf(ofSeveral), required: SPAN_AND_SUTS }))
