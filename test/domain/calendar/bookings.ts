import type { Event } from '../../../src/domain/event.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'

/**
 * A naive model of a SUT's calendar: it scans a list of intervals and tries every quarter. The optimized deciders must
 * give the same answers.
 */
export interface Booking {
  readonly _id: string
  readonly user_id: string
  readonly start: number
  end: number
  readonly startOffset: number
  endOffset: number
  standing: 'made' | 'released' | 'cancelled'
  /** Quarter-hours that count for a quota. */
  counted: number
  /** Milliseconds. */
  readonly created: number
  /** What it is bound to. */
  client: string | null
  /** Seconds; 0 if it need not be kept alive. */
  readonly keepalive: number
  /** Milliseconds of the last time that it was; 0 before. */
  kept: number
  /** Whether its holder ever did. */
  hasHeartbeats: boolean
}
export interface Model {
  readonly bookings: Booking[]
  active: boolean
  retired: boolean
  /** Seconds. */
  turnaround: number
}

export type Verdict =
  | { readonly code: string; readonly help: unknown }
  | { readonly event: Event; readonly apply: () => void }
  | 'already so'

export const refused = (code: string, help?: unknown): Verdict => ({ code, help })
export const refusedFor = (codes: readonly string[]): Verdict =>
  refused(new Set(codes).size === 1 ? `${codes[0]}` : 'invalid')

export const SECOND = 1_000_000_000n
export const nanoseconds = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n

/** The quarter at or before a moment, found by counting down. */
export const floor = (moment: bigint): number => {
  let second = Number(moment / SECOND)
  while (second % 900 !== 0) second--
  return second
}
export const ceiling = (moment: bigint): number =>
  BigInt(floor(moment)) * SECOND === moment ? floor(moment) : floor(moment) + 900

/** The end of released time that starts at or covers a moment, following consecutive releases. */
export const heldUntil = (model: Model, moment: number): number => {
  let until = moment
  const released = model.bookings.filter(({ standing }) => standing === 'released')
  for (let i = 0; i <= released.length; i++) {
    until = released.find(({ start, end }) => start <= until && until < end)?.end ?? until
  }
  return until
}

export const inTheWay = (model: Model, start: number, end: number): readonly Booking[] =>
  model.bookings
    .filter((booking) => booking.standing === 'made' && booking.start < end && start < booking.end)
    .sort((a, b) => a.start - b.start)

export const named = (bookings: readonly Booking[], neighbours: readonly Booking[] = []) =>
  bookings.map((booking) => {
    const { _id, user_id, start, end, startOffset, endOffset } = booking
    return {
      _id,
      user_id,
      start_time: formatWithOffset(start, startOffset),
      end_time: formatWithOffset(end, endOffset),
      ...(neighbours.includes(booking) && { turnaround: true }),
    }
  })

/** The reservations right before and after a window, as they were really held, where the turnaround does not fit. */
export const neighboursOf = (model: Model, start: number, end: number): readonly Booking[] => {
  if (model.turnaround === 0) return []
  const held = model.bookings.filter(({ standing }) => standing !== 'cancelled')
  const before = held.filter((booking) => booking.end <= start).sort((a, b) => b.end - a.end)[0]
  const after = held.filter((booking) => booking.start >= end).sort((a, b) => a.start - b.start)[0]
  const isTooLate = before && ceiling(BigInt(before.end) * SECOND) + model.turnaround > start
  const isTooEarly = after && end + model.turnaround > after.start
  return [...(isTooLate ? [before] : []), ...(isTooEarly ? [after] : [])]
}
