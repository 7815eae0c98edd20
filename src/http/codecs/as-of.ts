import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { instant } from '../../domain/codec/codec.ts'
import { schemaOf } from '../../domain/codec/json-schema.ts'
import type { Role } from '../../domain/events/user.ts'
import type { Instant, OffsetTime } from '../../domain/values/instant.ts'
import { POSITION_IN_REQUEST, type PublicPosition, parsePosition } from '../../domain/values/position.ts'
import { parameter } from './query.ts'

/** The moment to read as of: after an event, or at an instant. */
export type AsOf = { readonly position: PublicPosition } | { readonly instant: Instant }

/** A public position in `as_of` or `after`, with or without leading zeros. */
export const positionParameter: t.Type<PublicPosition, never, unknown> = parameter(
  'position',
  (u): u is PublicPosition => typeof u === 'number',
  (u, c) => {
    const position = parsePosition(String(u))
    return position === undefined
      ? t.failure(u, c, 'must be a position of up to 20 digits, below 2^53, as in Berth-Position')
      : t.success(position)
  },
  () => ({ type: 'string', pattern: POSITION_IN_REQUEST.source }),
)

/** The current end of the log. */
export const LATEST = 'latest'

/** The codec of `after`. */
export const afterParameter: t.Type<PublicPosition | typeof LATEST, never, unknown> = parameter(
  'after',
  (u): u is PublicPosition | typeof LATEST => u === LATEST || positionParameter.is(u),
  (u, c) => {
    if (u === LATEST) return t.success(LATEST)
    const read = positionParameter.validate(u, c)
    return E.isRight(read) ? read : t.failure(u, c, `${read.left[0]?.message}, or ${LATEST}`)
  },
  () => ({
    anyOf: [schemaOf(positionParameter), { const: LATEST }],
    description: 'The position to continue after: next of a page, or a Berth-Position. latest is the end of the log.',
  }),
)

const isOfDigits = (u: unknown): boolean => typeof u === 'string' && /^\d+$/.test(u)

export const asOfParameter: t.Type<AsOf, never, unknown> = parameter(
  'as_of',
  (u): u is AsOf => typeof u === 'object' && u !== null && ('position' in u || 'instant' in u),
  (u, c) =>
    isOfDigits(u)
      ? E.map((position: PublicPosition): AsOf => ({ position }))(positionParameter.validate(u, c))
      : E.map(({ instant }: OffsetTime): AsOf => ({ instant }))(instant.validate(u, c)),
  () => ({
    anyOf: [schemaOf(instant), schemaOf(positionParameter)],
    description: 'Read the state as of a date-time or a position in the log.',
  }),
)

export interface AsOfQuery {
  readonly as_of: AsOf | undefined
}

/** Roles that may use as_of. */
export const asOfRoles: Readonly<Record<string, readonly Role[]>> = { as_of: ['administrator', 'auditor'] }
