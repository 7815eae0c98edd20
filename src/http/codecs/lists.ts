/** Parameters that several lists and reads share. */

import * as E from 'fp-ts/lib/Either.js'
import { described, instant, opaqueId, parsed } from '../../domain/codec/codec.ts'
import { schemaOf } from '../../domain/codec/json-schema.ts'
import type { EventType } from '../../domain/event.ts'
import type { Role } from '../../domain/events/user.ts'
import { findTimeZone } from '../../domain/series/windows.ts'
import { type Instant, isLater, type OffsetTime, parseOffsetTime } from '../../domain/values/instant.ts'
import { POSITION_IN_REQUEST, type PublicPosition, parsePosition } from '../../domain/values/position.ts'
import { apart, inQuery, type QueryOf, queryOf, type Rule, wholeNumber } from './query.ts'

const NO_ZONE = 'must be the name of a time zone, like Europe/Berlin'
/** The name of a zone of the IANA time zone database, in any case. */
export const timeZone = parsed(
  'time zone',
  (name) => E.fromNullable(NO_ZONE)(findTimeZone(name)),
  NO_ZONE,
  () => ({ type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' }),
)

/** One of these types of events, with or without `berth.` before its name. */
export const eventTypeOf = (types: readonly EventType[]) => {
  const names = new Map<string, EventType>([
    ...types.map((type) => [`berth.${type}`, type] as const),
    ...types.map((type) => [type, type] as const),
  ])
  const rule = `must be berth. and one of ${types.join(', ')}`
  return parsed<EventType>(
    'event',
    (name) => E.fromNullable(rule)(names.get(name)),
    rule,
    () => ({ type: 'string', enum: [...names.keys()] }),
  )
}

const LIMIT_MAX = 1_000
export const LIMIT_DEFAULT = 100

export const paging = {
  limit: described(wholeNumber(1, LIMIT_MAX), 'The maximum number of entries; 100 by default.'),
  offset: described(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    'The number of entries to skip. Cannot be combined with before or after.',
  ),
  before: described(opaqueId, 'Continues after the entry with this _id, without the cost and drift of an offset.'),
}

export const span = {
  from: described(instant, 'The start of the span. Encode the + of a UTC offset as %2B.'),
  to: described(instant, 'The end of the span (exclusive).'),
}

/** A span of time; either end may be open. */
export interface TimeSpan {
  readonly from?: OffsetTime | undefined
  readonly to?: OffsetTime | undefined
}

const momentOf = (text: string | undefined): Instant | undefined => {
  const read = parseOffsetTime(text ?? '')
  return E.isRight(read) ? read.right.instant : undefined
}

/** The end of a span is later than its start. */
export const inOrder =
  (from: string, to: string): Rule =>
  (given) => {
    const [start, end] = [momentOf(given.get(from)), momentOf(given.get(to))]
    return start !== undefined && end !== undefined && !isLater(end, start)
      ? [inQuery(to, `must be later than ${from}`)]
      : []
  }

/** A span that is given by both its ends or not at all. */
export const wholeSpan =
  (from: string, to: string): Rule =>
  (given) => {
    const [first, ...others] = [from, to].filter((name) => given.has(name))
    if (first === undefined || others.length > 0) return inOrder(from, to)(given)
    return [inQuery(first, `needs ${first === from ? to : from}`)]
  }

export const ofPages = [apart(['offset'], 'before'), inOrder('from', 'to')]
export const pageQuery = queryOf(paging, { rules: ofPages })
/** The requested page of a list: at an offset, or after the entry with an id. */
export type Paging = QueryOf<typeof pageQuery>

export const ofSut = described(opaqueId, 'Only those of this SUT.')
export const ofHolder = described(opaqueId, 'Only those of reservations held by this user; me is you.')
/** SUTs of which one request reads. */
export const SUTS_MAX = 100

/** Seconds. Proxies cut a request that is not answered for a minute, or less. */
const WAIT_MAX = 60
export const waitParameter = wholeNumber(0, WAIT_MAX)
export const waitUntil = (what: string) =>
  queryOf({ wait: described(waitParameter, `Seconds to wait until ${what}, 0 by default.`) })

/** The moment to read as of: after an event, or at an instant. */
export type AsOf = { readonly position: PublicPosition } | { readonly instant: Instant }

const MUST_BE_POSITION = 'must be a position of up to 20 digits, below 2^53, as in Berth-Position'

const readPosition = (text: string) => E.fromNullable(MUST_BE_POSITION)(parsePosition(text))

/** A public position, with or without leading zeros. */
export const positionParameter = parsed<PublicPosition>('position', readPosition, MUST_BE_POSITION, () => ({
  ...{ type: 'string', pattern: POSITION_IN_REQUEST.source },
}))

/** The current end of the log. */
export const LATEST = 'latest'
const MUST_BE_AFTER = `${MUST_BE_POSITION}, or ${LATEST}`

export const afterParameter = parsed<PublicPosition | typeof LATEST>(
  'after',
  (text) => (text === LATEST ? E.right(LATEST) : E.fromNullable(MUST_BE_AFTER)(parsePosition(text))),
  MUST_BE_AFTER,
  () => ({
    anyOf: [schemaOf(positionParameter), { const: LATEST }],
    description: 'The position to continue after: next of a page, or a Berth-Position. latest is the end of the log.',
  }),
)

export const asOfParameter = parsed<AsOf>(
  'as_of',
  (text) =>
    /^\d+$/.test(text)
      ? E.map((position: PublicPosition): AsOf => ({ position }))(readPosition(text))
      : E.map(({ instant }: OffsetTime): AsOf => ({ instant }))(parseOffsetTime(text)),
  MUST_BE_POSITION,
  () => ({
    anyOf: [schemaOf(instant), schemaOf(positionParameter)],
    description: 'Read the state as of a date-time or a position in the log.',
  }),
)

export interface AsOfQuery {
  readonly as_of?: AsOf
}

export const asOfRoles: Readonly<Record<string, readonly Role[]>> = { as_of: ['administrator', 'auditor'] }
