import * as E from 'fp-ts/lib/Either.js'
import type { Problem } from '../domain/failure.ts'

/** A public position as headers, the feed and histories write it: 20 decimal digits, so that text sorts like numbers. */
export const formatPosition = (position: number): string => String(position).padStart(20, '0')

const POSITION = /^\d{20}$/

/** Reads a position; undefined where the header is absent. */
export const parseBerthAfter = (header: string | undefined): E.Either<Problem, number | undefined> => {
  if (header === undefined) return E.right(undefined)
  const position = Number(header)
  if (POSITION.test(header) && Number.isSafeInteger(position)) return E.right(position)
  const detail = 'must be a position: 20 decimal digits, as Berth-Position gives them'
  return E.left({ code: 'invalid', path: ['Berth-After'], in: 'header', detail })
}
