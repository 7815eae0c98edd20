import type { Event, NewEvent } from '../../../src/domain/event.ts'
import { LISTEN_PORTS_STREAM, makeEventId, makeId, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import { administrator, alice, bob, metadata, sutValues } from '../../domain/builders.ts'

/** Events to append to a stream after the revision `expected`. */
export interface Run {
  readonly stream: string
  readonly expected: number
  readonly append: readonly NewEvent[]
}

/** Unix seconds. */
const BEGINS = Date.parse('2030-01-01T00:00:00Z') / 1_000
const QUARTER = 900
/** Events per append. */
const AT_ONCE = 200

/** 16 hex digits, unique for each number. */
const random = (n: number): string => n.toString(16).padStart(16, '0')

/**
 * A valid log of a lab: its SUTs, then consecutive quarter-hours on each. Of every ten, one is released, one extended
 * and one cancelled.
 */
export function* manyLawfulEvents(scale: { readonly reservations: number; readonly suts: number }): Generator<Run> {
  let made = 0
  const written = (event: Event, seconds: number, by: Partial<NewEvent['metadata']>): NewEvent => {
    const time = seconds * 1_000
    const id = makeEventId(time, `${random(made++).padStart(19, '0')}0`)
    return { ...event, id, metadata: metadata(formatMilliseconds(time), { request_id: id, ...by }) } as NewEvent
  }
  const byAdministrator = { actor: administrator._id, role: 'administrator' } as const
  const suts = Array.from({ length: scale.suts }, (_, n) => makeId(BEGINS * 1_000, random(n)))
  for (const [n, sut_id] of suts.entries()) {
    const listen_port = 20_000 + n
    const assigned = written({ type: 'ListenPortAssigned', data: { listen_port, sut_id } }, BEGINS, byAdministrator)
    yield { stream: LISTEN_PORTS_STREAM, expected: n - 1, append: [assigned] }
    const data = { _id: sut_id, ...sutValues({ name: `machine ${n}` }), listen_port }
    yield {
      stream: sutStream(sut_id),
      expected: -1,
      append: [written({ type: 'SutCreated', data }, BEGINS, byAdministrator)],
    }
  }
  const each = Math.ceil(scale.reservations / scale.suts)
  for (let from = 0; from < each; from += AT_ONCE) {
    for (const [n, sut_id] of suts.entries()) {
      const append: NewEvent[] = []
      for (let at = from; at < Math.min(from + AT_ONCE, each); at++) {
        const start = BEGINS + QUARTER * (2 * at + 1)
        const user_id = at % 3 === 0 ? bob : alice
        const common = { _id: makeId((start - 60) * 1_000, random(at * scale.suts + n)), sut_id, user_id }
        const ends = { start_time: formatWithOffset(start, 120), end_time: formatWithOffset(start + QUARTER, 120) }
        const created = { ...common, ...ends, listen_port: 20_000 + n }
        append.push(written({ type: 'ReservationCreated', data: created }, start - 60, { actor: user_id }))
        const later = formatWithOffset(start + 2 * QUARTER, 120)
        if (at % 10 === 1) {
          const event = { type: 'ReservationExtended', data: { ...common, end_time: later } } as const
          append.push(written(event, start - 50, { actor: user_id }))
        } else if (at % 10 === 2) {
          append.push(written({ type: 'ReservationCancelled', data: common }, start - 40, { actor: user_id }))
        } else if (at % 10 === 3) {
          const data = { ...common, end_time: formatWithOffset(start + 60, 120) }
          append.push(written({ type: 'ReservationReleased', data }, start + 60, { actor: user_id }))
        }
      }
      // Three in ten have a second event, so the revision is computed from the counts so far.
      const before = from + [1, 2, 3].reduce((sum, rest) => sum + Math.ceil(Math.max(0, from - rest) / 10), 0)
      yield { stream: sutStream(sut_id), expected: before, append }
    }
  }
}
