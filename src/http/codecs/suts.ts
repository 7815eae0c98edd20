import * as E from 'fp-ts/lib/Either.js'
import { instant, oneOf, text } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { SutType, tagName } from '../../domain/events/sut.ts'
import type { Problem } from '../../domain/failure.ts'
import { MONITORED, type MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { type AsOfQuery, asOfParameter } from './as-of.ts'
import {
  combineProblems,
  type Paging,
  paging,
  pagingOf,
  problemsBetween,
  spanProblems,
  type TimeSpan,
} from './lists.ts'
import { familyOf, inQuery, onlyTrue, parametersOf, wholeNumber, wordsOf, yesOrNo } from './query.ts'

export interface SutQuery extends AsOfQuery {
  readonly withSettings: boolean
}

const included = { include: wordsOf('settings'), as_of: asOfParameter }
const ofOne = parametersOf(included)

/** Settings are known only as they are now. */
const includeProblems = (params: Parameters): readonly Problem[] =>
  params.has('include') && params.has('as_of') ? [inQuery('include', 'cannot be combined with as_of')] : []

export const sutQuery: DecodeQuery<SutQuery> = (params) =>
  combineProblems(includeProblems(params), ofOne(params), ({ include, as_of }) => ({
    withSettings: include !== undefined,
    as_of,
  }))
withSchema(sutQuery, () => schemaOf(ofOne))

export interface SutFilters {
  readonly sut_type: SutType | undefined
  readonly is_active: boolean | undefined
  readonly monitoring: MonitoringStatus | undefined
  readonly name: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** A span in which they are free. */
  readonly free: { readonly from: OffsetTime; readonly to: OffsetTime } | undefined
}

export interface SutsQuery extends Paging, SutFilters, SutQuery {
  readonly retired: boolean | undefined
}

/** Parameters of every list of SUTs, beside their tags. */
export const sutFilters = {
  sut_type: SutType,
  is_active: yesOrNo,
  monitoring: oneOf(...MONITORED),
  name: text(1, 256),
  free_from: instant,
  free_to: instant,
}

const sutParameters = parametersOf({ ...paging, ...sutFilters, ...included, retired: onlyTrue })
const FREE = ['free_from', 'free_to'] as const
/** With what nothing is free, or nothing is known of it. */
const NOT_FREE = ['retired', 'as_of']

export const freeProblems = (params: Parameters): readonly Problem[] => {
  const [first] = FREE.filter((name) => params.has(name))
  if (first === undefined) return []
  const missing = FREE.find((name) => !params.has(name))
  return [
    ...(missing === undefined ? spanProblems(params, ...FREE) : [inQuery(first, `needs ${missing}`)]),
    ...NOT_FREE.filter((name) => params.has(name)).map((name) => inQuery(name, `cannot be combined with ${first}`)),
  ]
}

const tagParameters = familyOf('tag.', tagName, text(0, 256))

export const sutsQuery: DecodeQuery<SutsQuery> = (parameters) => {
  const { family, others } = tagParameters(parameters)
  const problems = [
    ...(E.isLeft(family) ? family.left : []),
    ...problemsBetween(others),
    ...freeProblems(others),
    ...includeProblems(others),
  ]
  return combineProblems(problems, sutParameters(others), (read) => {
    const { sut_type, is_active, monitoring, name, retired, free_from: from, free_to: to, include, as_of } = read
    return {
      ...pagingOf(read),
      sut_type,
      is_active,
      monitoring,
      name,
      retired,
      free: from && to && { from, to },
      as_of,
      withSettings: include !== undefined,
      tags: E.isRight(family) ? family.right : {},
    }
  })
}
withSchema(sutsQuery, () => ({ ...schemaOf(sutParameters), ...schemaOf(tagParameters) }))

/** Seconds: the default for the shortest free window. */
export const DURATION = 900

export interface AvailabilityQuery extends TimeSpan {
  /** Seconds. */
  readonly duration: number
}

const availabilityParameters = parametersOf({
  from: instant,
  to: instant,
  duration: wholeNumber(1, Number.MAX_SAFE_INTEGER),
})

export const availabilityQuery: DecodeQuery<AvailabilityQuery> = (parameters) =>
  combineProblems(
    problemsBetween(parameters),
    availabilityParameters(parameters),
    ({ from, to, duration = DURATION }) => ({
      from,
      to,
      duration,
    }),
  )
withSchema(availabilityQuery, () => schemaOf(availabilityParameters))
