import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../../domain/failure.ts'
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
