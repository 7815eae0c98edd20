import * as E from 'fp-ts/lib/Either.js'
import { Reason } from '../../domain/event.ts'
import type { Problem } from '../../domain/failure.ts'
import { decodePercent } from '../../domain/values/percent-encoded.ts'
import { type PublicPosition, parsePosition } from '../../domain/values/position.ts'

/** Parses a position; undefined if the header is absent. */
const parserOf =
  (name: string, example: string) =>
  (header: string | undefined): E.Either<Problem, PublicPosition | undefined> => {
    const position = parsePosition(header ?? '')
    if (header === undefined || position !== undefined) return E.right(position)
    const detail = `must be a position of up to 20 digits, below 2^53, as in ${example}`
    return E.left({ code: 'invalid', path: [name], in: 'header', detail })
  }

export const parseBerthAfter = parserOf('Berth-After', 'Berth-Position')

const lastEventId = parserOf('Last-Event-ID', 'the id of an event')

/** A client without any event may send an empty value. */
export const parseLastEventId = (header: string | undefined) => lastEventId(header === '' ? undefined : header)

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
