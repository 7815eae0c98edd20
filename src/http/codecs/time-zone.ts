import * as E from 'fp-ts/lib/Either.js'
import { parsed } from '../../domain/codec/codec.ts'
import { findTimeZone } from '../../domain/series/windows.ts'

const NO_ZONE = 'must be the name of a time zone, like Europe/Berlin'
/** The name of a zone of the IANA time zone database, in any case. */
export const timeZone = parsed(
  'time zone',
  (name) => E.fromNullable(NO_ZONE)(findTimeZone(name)),
  NO_ZONE,
  () => ({ type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' }),
)
