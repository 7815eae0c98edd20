import * as E from 'fp-ts/lib/Either.js'
import { described, opaqueId } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import type { Problem } from '../../domain/failure.ts'
import { ceilMillisecond, floorMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import type { DecodeQuery } from '../protocol/route.ts'
import { span, spanProblems } from './lists.ts'
import { inQuery, parametersOf, queryOf, several } from './query.ts'
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

export const outagesOfOneQuery = spanQuery(parametersOf({}, span), (asked) => asked)

export const outagesQuery = spanQuery(
  parametersOf({}, { ...span, sut_id: described(several(opaqueId, SUTS_MAX), 'Those of these SUTs, up to 100.') }),
  (asked, { sut_id: sut_ids }): OutagesQuery => ({ ...asked, sut_ids }),
)
