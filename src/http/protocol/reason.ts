import * as E from 'fp-ts/lib/Either.js'
import { text } from '../../domain/codec/codec.ts'
import type { Problem } from '../../domain/failure.ts'

/** What is recorded of a reason can be read for ever: it is held to what the event's own codec takes. */
const Reason = text(1, 200)

const decoded = (header: string): string | undefined => {
  // Bytes beyond ASCII have come without encoding; nobody can say in which character set.
  if (!/^[\x20-\x7e]*$/.test(header)) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}

/** Reads a Berth-Reason header: why, in percent-encoded UTF-8. Right(undefined) where there is none. */
export const parseBerthReason = (header: string | undefined): E.Either<Problem, string | undefined> => {
  if (header === undefined) return E.right(undefined)
  const reason = decoded(header)
  if (Reason.is(reason)) return E.right(reason)
  const detail =
    reason === undefined
      ? 'must be percent-encoded UTF-8; write a percent sign as %25'
      : 'must be 1 to 200 characters, without control characters'
  return E.left({ code: 'invalid', path: ['Berth-Reason'], in: 'header', detail })
}
