import * as E from 'fp-ts/lib/Either.js'
import { text } from '../../domain/codec/codec.ts'
import type { Problem } from '../../domain/failure.ts'

/** A reason stays in the log, so the codec of the event applies. */
const Reason = text(1, 200)

const decoded = (header: string): string | undefined => {
  // Bytes beyond ASCII arrive without any known character encoding.
  if (!/^[\x20-\x7e]*$/.test(header)) return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}

/** Parses a Berth-Reason header, which is percent-encoded UTF-8. Right(undefined) if absent. */
export const parseBerthReason = (header: string | undefined): E.Either<Problem, string | undefined> => {
  if (header === undefined) return E.right(undefined)
  const reason = decoded(header)
  if (Reason.is(reason)) return E.right(reason)
  const detail =
    reason === undefined
      ? 'must be percent-encoded UTF-8, with % written as %25'
      : 'must be 1 to 200 characters, without control characters'
  return E.left({ code: 'invalid', path: ['Berth-Reason'], in: 'header', detail })
}
