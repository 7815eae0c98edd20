import * as E from 'fp-ts/lib/Either.js'
import { instant, parsed } from '../../domain/codec/codec.ts'
import { schemaOf } from '../../domain/codec/json-schema.ts'
import type { Role } from '../../domain/events/user.ts'
import { type Instant, type OffsetTime, parseOffsetTime } from '../../domain/values/instant.ts'
import { POSITION_IN_REQUEST, type PublicPosition, parsePosition } from '../../domain/values/position.ts'

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

/** The codec of `after`. */
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

/** Roles that may use as_of. */
export const asOfRoles: Readonly<Record<string, readonly Role[]>> = { as_of: ['administrator', 'auditor'] }
