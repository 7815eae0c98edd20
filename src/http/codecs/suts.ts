import * as E from 'fp-ts/lib/Either.js'
import { described, instant, oneOf, text } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { SutType, tagName } from '../../domain/events/sut.ts'
import type { Problem } from '../../domain/failure.ts'
import { MONITORED, type MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { asOfParameter } from './as-of.ts'
import { paging, problemsBetween, span, spanProblems, withPage } from './lists.ts'
import {
  familyOf,
  inQuery,
  onlyTrue,
  parametersOf,
  type QueryOf,
  queryOf,
  wholeNumber,
  wordsOf,
  yesOrNo,
} from './query.ts'

/** Settings are known only as they are now. */
const includeProblems = (params: Parameters): readonly Problem[] =>
  params.has('include') && params.has('as_of') ? [inQuery('include', 'cannot be combined with as_of')] : []

export const sutQuery = queryOf(
  parametersOf({
    include: described(
      wordsOf('settings'),
      'What to add: settings, which are what administrators set. Others see turnaround and release_unused_after alone. Not with as_of.',
    ),
    as_of: asOfParameter,
  }),
  ({ include, as_of }) => ({ withSettings: include !== undefined, as_of }),
  includeProblems,
)
export type SutQuery = QueryOf<typeof sutQuery>

export interface SutFilters {
  readonly sut_type: SutType | undefined
  readonly is_active: boolean | undefined
  readonly monitoring: MonitoringStatus | undefined
  readonly name: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** A span in which they are free. */
  readonly free: { readonly from: OffsetTime; readonly to: OffsetTime } | undefined
}

/** Parameters of every list of SUTs, beside their tags. */
export const sutFilters = {
  sut_type: described(SutType, 'Only SUTs of this type.'),
  is_active: described(yesOrNo, 'Only active SUTs, or only inactive ones.'),
  monitoring: described(
    oneOf(...MONITORED),
    'Only SUTs that probes found online or offline, have not probed yet, or that are not monitored.',
  ),
  name: described(text(1, 256), 'Only SUTs whose name contains this text, ignoring case.'),
  free_from: described(
    instant,
    'With free_to: only SUTs that are active and have no reservation in this span, widened to the grid.',
  ),
  free_to: described(instant, 'The end of that span (exclusive).'),
}

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

/** Decodes the tags too, each of which is a parameter. */
export const withTags = <A>(decode: DecodeQuery<A>) => {
  const decodeAll = (parameters: Parameters): ReturnType<DecodeQuery<A & Pick<SutFilters, 'tags'>>> => {
    const { family, others } = tagParameters(parameters)
    const read = decode(others)
    if (E.isRight(read) && E.isRight(family)) return E.right({ ...read.right, tags: family.right })
    return E.left([...(E.isLeft(read) ? read.left : []), ...(E.isLeft(family) ? family.left : [])])
  }
  return withSchema(decodeAll, () => ({ ...schemaOf(decode), ...schemaOf(tagParameters) }))
}

export const sutsQuery = queryOf(
  withTags(
    parametersOf({
      ...paging,
      ...sutFilters,
      include: described(
        wordsOf('settings'),
        'What to add: settings, of which lists have what everybody sees. Not with as_of, and not in CSV.',
      ),
      as_of: asOfParameter,
      retired: described(onlyTrue, 'Only retired SUTs, which are in no other list.'),
    }),
  ),
  ({ free_from: from, free_to: to, include, ...others }) => {
    const { pagedBy, ...page } = withPage(others)
    const withSettings = include !== undefined
    return {
      ...page,
      pagedBy: withSettings ? [...pagedBy, 'include'] : pagedBy,
      free: from && to && { from, to },
      withSettings,
    }
  },
  (parameters) => [...problemsBetween(parameters), ...freeProblems(parameters), ...includeProblems(parameters)],
)
export type SutsQuery = QueryOf<typeof sutsQuery>

/** Seconds: the default for the shortest free window. */
export const DURATION = 900

export const durationParameter = described(
  wholeNumber(1, Number.MAX_SAFE_INTEGER),
  'The shortest window to return, in seconds; 900 by default.',
)

export const availabilityQuery = queryOf(
  parametersOf({ ...span, duration: durationParameter }),
  ({ from, to, duration = DURATION }) => ({ from, to, duration }),
  problemsBetween,
)
export type AvailabilityQuery = QueryOf<typeof availabilityQuery>
