import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { described, instant, integer, opaqueId, parsed, text } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import { closed } from '../../domain/codec/object-codec.ts'
import { AskedCriteria, type Criteria } from '../../domain/events/criteria.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import type { RankedAfter } from '../../read-models/matching/ranked.ts'
import { inOrder } from './lists.ts'
import { inQuery, type QueryOf, queryOf, type Rule, wholeNumber } from './query.ts'
import { DURATION, durationParameter, freeRules, sutFilters } from './suts.ts'

const [LIMIT, LIMIT_MAX] = [20, 100]

/** Undefined for what is no JSON, or no such JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const criteria = withSchema(
  new t.Type<Criteria, Criteria, unknown>(
    'criteria',
    AskedCriteria.is,
    (u, c) => {
      const value = parseJson(String(u))
      return value === undefined
        ? t.failure(u, c, 'must be JSON, like {"os":"windows"}')
        : AskedCriteria.validate(value, c)
    },
    t.identity,
  ),
  () => ({ type: 'string', contentMediaType: 'application/json', contentSchema: schemaOf(AskedCriteria) }),
)

const moment = integer(0, 0xffff_ffff)
/** A place in the order of matching, as its cursor says it. */
const Place = closed(
  'Place',
  { quarter: moment, seed: text(1, 64), start: moment, rest: moment, idleDays: moment, hash: moment },
  {},
)

const CURSOR_MAX = 400

/** Where a page of SUTs ended: after one in the order of creation, or after one in the order of matching. */
type OfferedAfter = { readonly sut_id: string } | RankedAfter

/** The text of a cursor: an id, or a place as JSON in base64url, which begins otherwise. */
export const formatCursor = (after: OfferedAfter): string =>
  'sut_id' in after ? after.sut_id : Buffer.from(JSON.stringify(after)).toString('base64url')

const MUST_BE_NEXT = 'must be next of a page'
const cursor = parsed<OfferedAfter>(
  'cursor',
  (text) => {
    if (isAssignedId(text)) return E.right({ sut_id: text })
    const json = text.length <= CURSOR_MAX ? Buffer.from(text, 'base64url').toString() : ''
    return E.mapLeft(() => MUST_BE_NEXT)(Place.decode(parseJson(json)))
  },
  MUST_BE_NEXT,
  () => ({ type: 'string', maxLength: CURSOR_MAX, pattern: '^[A-Za-z0-9_-]+$' }),
)

/** A SUT is looked for by filters or by criteria. */
const eitherFiltersOrMatch: Rule = (given) =>
  given.has('match')
    ? [...given.keys()]
        .filter((name) => Object.hasOwn(sutFilters, name) || name.startsWith('tag.'))
        .map((name) => inQuery(name, 'cannot be combined with match'))
    : []

/** Pages of SUTs in the order of their creation go on after an id, those in the order of matching after a place. */
const ofSameList: Rule = (given) => {
  const after = cursor.decode(given.get('after'))
  return E.isRight(after) && 'sut_id' in after.right === given.has('match')
    ? [inQuery('after', 'must be next of a page of the same list')]
    : []
}

/** What SUTs have free, or the SUTs that would be reserved for criteria: for `user_id`, the caller unless given. */
export const availableQuery = queryOf(
  {
    from: described(instant, 'The start of the span; now by default.'),
    to: described(instant, 'The end of the span, at most 31 days after its start; 7 days after it by default.'),
    duration: durationParameter,
    limit: described(wholeNumber(1, LIMIT_MAX), 'The maximum number of SUTs; 20 by default.'),
    after: described(cursor, 'The next of the page before.'),
    user_id: described(
      opaqueId,
      'For whom: SUTs in the scope of that user. Administrators name anybody, others only themselves.',
    ),
    match: described(criteria, 'Criteria as JSON, as in a create. Cannot be combined with filters.'),
    ...sutFilters,
  },
  {
    rules: [inOrder('from', 'to'), ...freeRules, eitherFiltersOrMatch, ofSameList],
    make: ({ from, to, duration = DURATION, limit = LIMIT, after, user_id, match, free_from, free_to, ...others }) => {
      const { sut_type, is_active, monitoring, name, 'tag.': tags = {} } = others
      const free = free_from && free_to && { from: free_from, to: free_to }
      const filters = { sut_type, is_active, monitoring, name, tags, free }
      return { from, to, duration, limit, after, user_id, wanted: match === undefined ? { filters } : { match } }
    },
  },
)
export type AvailableSutsQuery = QueryOf<typeof availableQuery>
