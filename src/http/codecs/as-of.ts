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

const MUST_BE_POSITION = 'must be a position of up to 20 digits, below 2^53, as in Berth-Position'

/** A public position, with or without leading zeros. */
export const positionParameter = parameter<PublicPosition>(
  (text, c) => {
    const position = parsePosition(text)
    return position === undefined ? t.failure(text, c, MUST_BE_POSITION) : t.success(position)
  },
  () => ({ type: 'string', pattern: POSITION_IN_REQUEST.source }),
)

/** The current end of the log. */
export const LATEST = 'latest'

/** The codec of `after`. */
export const afterParameter = parameter<PublicPosition | typeof LATEST>(
  (text, c) => {
    const position = text === LATEST ? LATEST : parsePosition(text)
    return position === undefined ? t.failure(text, c, `${MUST_BE_POSITION}, or ${LATEST}`) : t.success(position)
  },
  () => ({
    anyOf: [schemaOf(positionParameter), { const: LATEST }],
    description: 'The position to continue after: next of a page, or a Berth-Position. latest is the end of the log.',
  }),
)

export const asOfParameter = parameter<AsOf>(
  (text, c) =>
    /^\d+$/.test(text)
      ? E.map((position: PublicPosition): AsOf => ({ position }))(positionParameter.validate(text, c))
      : E.map(({ instant }: OffsetTime): AsOf => ({ instant }))(instant.validate(text, c)),
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
