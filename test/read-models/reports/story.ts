import fc from 'fast-check'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import {
  idOf,
  metadata,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  sutCreated,
  sutUpdated,
} from '../../domain/builders.ts'

/** Random pasts of a lab in minutes, as facts and as the events that record them. */

export interface Held {
  readonly n: number
  readonly sut: number
  readonly user: number
  readonly created: number
  readonly start: number
  /** Its last end before a release, if it was extended not the first. */
  readonly end: number
  readonly extendedFrom?: number | undefined
  readonly cancelled?: number | undefined
  readonly released?: number | undefined
  readonly sessions: readonly { readonly opened: number; readonly closed: number | undefined }[]
}

export interface Past {
  /** Unix milliseconds of minute 0. */
  readonly base: number
  readonly reservations: readonly Held[]
  /** When the tag `rack` of a SUT was set; null removes it. */
  readonly tags: readonly { readonly sut: number; readonly at: number; readonly rack: string | null }[]
}

export const SUTS = 3
export const MINUTES = 4 * 1_440
const MINUTE = 60_000

export const sutId = (n: number): string => idOf(100 + n)
export const userId = (n: number): string => idOf(200 + n)

const upTo = (max: number, min = 0) => fc.integer({ min, max })

/** A reservation on the grid of quarter-hours, some made within the first of these. */
const aReservation = fc
  .record({
    ...{ sut: upTo(SUTS - 1), user: upTo(2), quarter: upTo(MINUTES / 15 - 100), quarters: upTo(90, 1), lead: upTo(14) },
    ahead: fc.boolean(),
    fate: fc.constantFrom('kept', 'kept', 'extended', 'cancelled', 'released'),
    when: upTo(99),
    sessions: fc.array(fc.tuple(upTo(99), upTo(99), fc.boolean()), { maxLength: 3 }),
  })
  .map(({ sut, user, quarter, quarters, lead, ahead, fate, when, sessions }) => {
    const [start, planned] = [quarter * 15, (quarter + quarters) * 15]
    const created = ahead ? start - 20 : start + lead
    const within = (percent: number): number => created + Math.floor(((planned - created) * percent) / 100)
    const held = Math.max(start, created)
    const released = fate === 'released' ? Math.max(held + 1, within(when)) : undefined
    const isCancelled = fate === 'cancelled' && ahead
    const end = fate === 'extended' ? planned + 30 : planned
    const last = released ?? end
    return {
      ...{ sut, user, created, start, end, released },
      extendedFrom: fate === 'extended' ? planned : undefined,
      cancelled: isCancelled ? start - 10 : undefined,
      sessions: isCancelled
        ? []
        : sessions.map(([a, b, isOpen]) => {
            const [opened, closed] = [a, b]
              .toSorted((x, y) => x - y)
              .map((part) => held + Math.floor(((last - held) * part) / 100)) as [number, number]
            return { opened, closed: isOpen ? undefined : closed }
          }),
    }
  })

export const aPast = (bases: readonly string[]): fc.Arbitrary<Past> =>
  fc
    .record({
      base: fc.constantFrom(...bases.map((base) => Date.parse(base))),
      reservations: fc.array(aReservation, { minLength: 5, maxLength: 25 }),
      tags: fc.array(
        fc.record({ sut: upTo(SUTS - 1), at: upTo(MINUTES), rack: fc.constantFrom('4', '5', '=1', null) }),
        { maxLength: 4 },
      ),
    })
    .map(({ reservations, ...past }) => ({ ...past, reservations: reservations.map((one, n) => ({ n, ...one })) }))

/** The events that record a past, by time. */
export const eventsOf = ({ base, reservations, tags }: Past): readonly Recorded[] => {
  const happened: [minute: number, event: Event][] = []
  const at = (minute: number): string => formatMilliseconds(base + minute * MINUTE)
  const wall = (minute: number): string => formatWithOffset((base + minute * MINUTE) / 1000, 0)
  for (let n = 0; n < SUTS; n++) happened.push([-100, sutCreated({ _id: sutId(n), name: `bench ${n}` })])
  for (const { sut, at: minute, rack } of tags)
    happened.push([minute, { ...sutUpdated({}), data: { _id: sutId(sut), tags: { rack } } } as Event])
  for (const one of reservations) {
    const [id, sut_id, user] = [idOf(1_000 + one.n), sutId(one.sut), userId(one.user)]
    const of = (event: Event): Event => ({ ...event, data: { ...event.data, sut_id } }) as Event
    const made = reservationCreated(id, wall(one.start), wall(one.extendedFrom ?? one.end), user)
    happened.push([one.created, of(made)])
    if (one.extendedFrom !== undefined) happened.push([one.created, of(reservationExtended(id, wall(one.end), user))])
    if (one.cancelled !== undefined) happened.push([one.cancelled, of(reservationCancelled(id, user))])
    if (one.released !== undefined) happened.push([one.released, of(reservationReleased(id, wall(one.released), user))])
    for (const [n, { opened, closed }] of one.sessions.entries()) {
      const data = { _id: idOf(100_000 + one.n * 10 + n), reservation_id: id, sut_id, user_id: user }
      const session = { ...data, instance: '0'.repeat(16), opened_at: at(opened) }
      happened.push([opened, { type: 'SessionOpened', data: session }])
      if (closed === undefined) continue
      const end = {
        closed_at: at(closed),
        connections: 1,
        bytes_to_sut: 0,
        bytes_from_sut: 0,
        cause: 'client',
      } as const
      happened.push([closed, { type: 'SessionClosed', data: { ...session, ...end } }])
    }
  }
  return happened
    .toSorted(([a], [b]) => a - b)
    .map(([minute, event], n) => {
      const common = { id: `event ${n}`, stream: 'story', revision: n, storePosition: n }
      return { ...common, ...event, metadata: metadata(at(minute)) } as Recorded
    })
}
