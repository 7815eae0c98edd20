import * as E from 'fp-ts/lib/Either.js'
import { Reason } from '../../domain/event.ts'
import type { Problem } from '../../domain/failure.ts'
import { decodePercent } from '../../domain/values/percent-encoded.ts'

/** Bytes beyond ASCII arrive without any known character encoding. */
const ASCII = /^[\x20-\x7e]*$/

/** Parses a Berth-Reason header, which is percent-encoded UTF-8. Right(undefined) if absent. */
export const parseBerthReason = (header: string | undefined): E.Either<Problem, string | undefined> => {
  if (header === undefined) return E.right(undefined)
  const reason = ASCII.test(header) ? decodePercent(header) : undefined
  if (Reason.is(reason)) return E.right(reason)
  const detail =
    reason === undefined
      ? 'must be percent-encoded UTF-8, with % written as %25'
      : 'must be 1 to 200 characters, without control characters'
  return E.left({ code: 'invalid', path: ['Berth-Reason'], in: 'header', detail })
}
