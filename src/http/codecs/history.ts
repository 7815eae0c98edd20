import * as E from 'fp-ts/lib/Either.js'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { DecodeQuery } from '../protocol/route.ts'
import { afterParameter, type LATEST } from './as-of.ts'
import { LIMIT, LIMIT_MAX } from './lists.ts'
import { inQuery, parametersOf, wholeNumber } from './query.ts'

/** The requested page of a history: at an offset, or after the event at a position. */
export interface HistoryQuery {
  readonly limit: number
  readonly offset: number
  readonly after: PublicPosition | typeof LATEST | undefined
}

const parameters = parametersOf({
  limit: wholeNumber(1, LIMIT_MAX),
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  after: afterParameter,
})

export const historyQuery: DecodeQuery<HistoryQuery> = (params) => {
  const both = params.has('after') && params.has('offset') ? [inQuery('offset', 'cannot be combined with after')] : []
  const read = parameters(params)
  if (E.isLeft(read)) return E.left([...read.left, ...both])
  const { limit = LIMIT, offset = 0, after } = read.right
  return both.length > 0 ? E.left(both) : E.right({ limit, offset, after })
}
withSchema(historyQuery, () => schemaOf(parameters))
