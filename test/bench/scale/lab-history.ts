import { BERTH } from '../../../src/commands/listen-ports.ts'
import { QUARTER } from '../../../src/domain/calendar/window.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import type { DataOf, Event, NewEvent } from '../../../src/domain/event.ts'
import { LOG_VERSION } from '../../../src/domain/events/log.ts'
import { LISTEN_PORTS_STREAM, makeEventId, makeId, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import { metadata, sutValues } from '../../domain/builders.ts'

/** Size of a lab's history. */
export interface Scale {
  readonly events: number
  readonly suts: number
  /** Quarter-hours between the starts of consecutive reservations on a SUT. */
  readonly every: number
}

export interface People {
  readonly administrator: string
  /** The first one makes half of all reservations. */
  readonly testers: readonly string[]
}

/** Reservations made in a sitting on one SUT, after which one of them is changed. */
const SITTING = 9
const FIRST_PORT = 20_000
/** Minutes east of UTC. */
const OFFSET = 120

/** Makes unique ids, and adds metadata to events. */
export const makeWriter = () => {
  let made = 0
  const random = (length: number): string => (made++).toString(16).padStart(length, '0')
  return {
    id: (seconds: number): string => makeId(seconds * 1_000, random(16)),
    written: (event: Event, milliseconds: number, actor: string, role: Actor['role']): NewEvent => {
      const id = makeEventId(milliseconds, `${random(19)}0`)
      return { ...event, id, metadata: metadata(formatMilliseconds(milliseconds), { actor, role, request_id: id }) }
    },
  }
}
export type Writer = ReturnType<typeof makeWriter>

/** Events to append to a stream after the revision `expected`. */
export interface Run {
  readonly stream: string
  readonly expected: number
  readonly events: readonly NewEvent[]
}

/** The first event of a log of this version. */
export const beginning = (seconds: number, { written }: Writer): Run => {
  const set = { type: 'LogVersionSet', data: { version: LOG_VERSION } } as const
  const events = [written(set, seconds * 1_000, BERTH._id, BERTH.role)]
  return { stream: LISTEN_PORTS_STREAM, expected: -1, events }
}

/** The two appends that create a SUT. */
export const making = (sut_id: string, n: number, seconds: number, by: string, { written }: Writer): readonly Run[] => {
  const listen_port = FIRST_PORT + n
  const assigned = { type: 'ListenPortAssigned', data: { listen_port, sut_id } } as const
  const created = {
    type: 'SutCreated',
    data: { _id: sut_id, ...sutValues({ name: `machine ${n}` }), listen_port },
  } as const
  const events = [assigned, created].map((event) => written(event, seconds * 1_000, by, 'administrator'))
  return [
    // The first event of this stream is the log version.
    { stream: LISTEN_PORTS_STREAM, expected: n, events: events.slice(0, 1) },
    { stream: sutStream(sut_id), expected: -1, events: events.slice(1) },
  ]
}

type Made = DataOf<'ReservationCreated'>

/** Releases, cancels or extends one of the reservations. */
const changeOf = (made: readonly Made[], kind: number, now: number): Event => {
  const { listen_port: _, start_time, end_time, ...reservation } = made[kind] as Made
  if (kind === 0) {
    return { type: 'ReservationReleased', data: { ...reservation, end_time: formatWithOffset(now + 1, OFFSET) } }
  }
  if (kind === 1) return { type: 'ReservationCancelled', data: reservation }
  const later = Date.parse(end_time) / 1_000 + QUARTER
  return { type: 'ReservationExtended', data: { ...reservation, end_time: formatWithOffset(later, OFFSET) } }
}

/** The events of the `nth` sitting, at a time in Unix seconds. Its first reservation starts at once. */
const sitting = (
  sut: Pick<Made, 'sut_id' | 'listen_port'>,
  nth: number,
  now: number,
  { every }: Scale,
  testers: readonly string[],
  { id, written }: Writer,
): readonly NewEvent[] => {
  const first = Math.floor(now / QUARTER)
  const made = Array.from({ length: SITTING }, (_, k): Made => {
    const user_id = testers[k % 2 === 0 ? 0 : 1 + ((nth * SITTING + k) % (testers.length - 1))] as string
    const start = first + k * every
    const end = start + 1 + ((nth + k) % Math.min(8, every - 1))
    const ends = {
      start_time: formatWithOffset(start * QUARTER, OFFSET),
      end_time: formatWithOffset(end * QUARTER, OFFSET),
    }
    return { _id: id(now), user_id, ...sut, ...ends }
  })
  const events = [...made.map((data): Event => ({ type: 'ReservationCreated', data })), changeOf(made, nth % 3, now)]
  return events.map((event, k) => written(event, now * 1_000 + k, (event.data as Made).user_id, 'tester'))
}

/** Number of events for this many listed reservations. One in three sittings cancels one. */
export const eventsUntil = (listed: number, suts: number): number =>
  1 + 2 * suts + Math.ceil(listed / (SITTING - 1 / 3)) * (SITTING + 1)

/** Quarter-hours until all reservations of a lab are over. */
export const quartersAhead = ({ every }: Scale): number => SITTING * every + 1

/** Seconds between two sittings. */
const between = ({ suts, every }: Scale): number => (SITTING * every * QUARTER) / suts

/**
 * The creation of SUTs, then sittings on each in turn, evenly spaced until `now` (Unix seconds). The last sitting may
 * exceed the wanted number of events.
 */
export const historyOf = (scale: Scale, people: People, now: number) => {
  const { events, suts: count } = scale
  const sittings = Math.ceil((events - 1 - 2 * count) / (SITTING + 1))
  const begins = Math.floor(now - sittings * between(scale))
  const writer = makeWriter()
  const suts = Array.from({ length: count }, (_, n) => writer.id(begins - count + n))
  function* runs(): Generator<Run> {
    yield beginning(begins - count, writer)
    for (const [n, sut_id] of suts.entries()) yield* making(sut_id, n, begins - count + n, people.administrator, writer)
    for (let nth = 0; nth < sittings; nth++) {
      const n = nth % count
      const sut = { sut_id: suts[n] as string, listen_port: FIRST_PORT + n }
      const at = begins + Math.floor(nth * between(scale))
      const expected = Math.floor(nth / count) * (SITTING + 1)
      yield { stream: sutStream(sut.sut_id), expected, events: sitting(sut, nth, at, scale, people.testers, writer) }
    }
  }
  return { suts, begins, runs }
}
