/** Random pasts of a lab in minutes, as facts and as the events that record them. */

import fc from 'fast-check'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { formatMilliseconds, formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { ReportColumns } from '../../../src/read-models/reports/cells.ts'
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

export interface Held {
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

interface Asked {
  readonly user: number
  readonly at: number
  /** Waits unless it ends, so many minutes later. */
  readonly end?:
    | { readonly type: 'RequestGranted' | 'RequestExpired' | 'RequestWithdrawn'; readonly after: number }
    | undefined
}

/** Refusals of a minute, by user and code, and how many more there were. */
interface Refused {
  readonly at: number
  readonly entries: readonly { readonly user: number; readonly code: string; readonly count: number }[]
  readonly others: number
}

/** What a test needs of a past. */
type Story = Pick<Past, 'base'> & Partial<Past>

export interface Past {
  /** Unix milliseconds of minute 0. */
  readonly base: number
  readonly reservations: readonly Held[]
  readonly asked: readonly Asked[]
  readonly refused: readonly Refused[]
  /** When the tag `rack` of a SUT was set; null removes it. */
  readonly tags: readonly { readonly sut: number; readonly at: number; readonly rack: string | null }[]
}

export const SUTS = 3
export const MINUTES = 4 * 1_440
export const MINUTE = 60_000

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

const minute = upTo(MINUTES)
const anEnd = fc.record({
  type: fc.constantFrom('RequestGranted' as const, 'RequestExpired' as const, 'RequestWithdrawn' as const),
  after: upTo(600),
})
const aCode = fc.constantFrom('no_sut_free', 'reservation_conflict', 'quota_exceeded', 'reservation_over')
const anEntry = fc.record({ user: upTo(2), code: aCode, count: upTo(9, 1) })
const aRefused = fc.record({ at: minute, entries: fc.array(anEntry, { maxLength: 3 }), others: upTo(2) })
const aTag = fc.record({ sut: upTo(SUTS - 1), at: minute, rack: fc.constantFrom('4', '5', '=1', null) })

export const aPast = (bases: readonly string[]): fc.Arbitrary<Past> =>
  fc.record({
    base: fc.constantFrom(...bases.map((base) => Date.parse(base))),
    reservations: fc.array(aReservation, { minLength: 5, maxLength: 25 }),
    asked: fc.array(fc.record({ user: upTo(2), at: minute, end: fc.option(anEnd, { nil: undefined }) }), {
      maxLength: 20,
    }),
    refused: fc.array(aRefused, { maxLength: 8 }),
    tags: fc.array(aTag, { maxLength: 4 }),
  })

/** The events that record a past, with more at minutes of their own, by time. */
export const eventsOf = (
  { base, reservations = [], tags = [], asked = [], refused = [] }: Story,
  more: readonly (readonly [minute: number, event: object])[] = [],
): readonly Recorded[] => {
  const happened = [...more]
  const at = (minute: number): string => formatMilliseconds(base + minute * MINUTE)
  const wall = (minute: number): string => formatWithOffset((base + minute * MINUTE) / 1000, 0)
  for (let n = 0; n < SUTS; n++) happened.push([-100, sutCreated({ _id: sutId(n), name: `bench ${n}` })])
  for (const { sut, at: minute, rack } of tags)
    happened.push([minute, { ...sutUpdated({}), data: { _id: sutId(sut), tags: { rack } } }])
  for (const [n, one] of reservations.entries()) {
    const [id, sut_id, user_id] = [idOf(1_000 + n), sutId(one.sut), userId(one.user)]
    const add = (minute: number | undefined, event: Event): void => {
      if (minute !== undefined) happened.push([minute, { ...event, data: { ...event.data, sut_id } }])
    }
    add(one.created, reservationCreated(id, wall(one.start), wall(one.extendedFrom ?? one.end), user_id))
    add(one.extendedFrom && one.created, reservationExtended(id, wall(one.end), user_id))
    add(one.cancelled, reservationCancelled(id, user_id))
    add(one.released, reservationReleased(id, wall(one.released ?? 0), user_id))
    for (const [nth, { opened, closed }] of one.sessions.entries()) {
      const ids = { _id: idOf(100_000 + n * 10 + nth), reservation_id: id, sut_id, user_id }
      const data = { ...ids, instance: '0'.repeat(16), opened_at: at(opened) }
      happened.push([opened, { type: 'SessionOpened', data }])
      if (closed === undefined) continue
      const end = { closed_at: at(closed), connections: 1, bytes_to_sut: 0, bytes_from_sut: 0, cause: 'client' }
      happened.push([closed, { type: 'SessionClosed', data: { ...data, ...end } }])
    }
  }
  const sut_id = sutId(0)
  for (const [n, { user, at: made, end }] of asked.entries()) {
    const request = { _id: idOf(5_000 + n), user_id: userId(user) }
    const data = { ...request, duration: 900, priority: 0, expires_at: at(made + 9_000), sut_id }
    happened.push([made, { type: 'ReservationRequested', data }])
    if (end === undefined) continue
    const granted = end.type === 'RequestGranted' && { sut_id, sut_reservation_id: idOf(9_000 + n) }
    happened.push([made + end.after, { type: end.type, data: { ...request, ...granted } }])
  }
  for (const { at: from, entries, others } of refused) {
    const refusals = entries.map(({ user, code, count }) => ({ user_id: userId(user), code, count, sut_id }))
    const data = { from: at(from), to: at(from + 1), refusals, ...(others > 0 && { others }) }
    happened.push([from + 1, { type: 'RefusalsCounted', data }])
  }
  return happened
    .toSorted(([a], [b]) => a - b)
    .map(([minute, event], n) => {
      const common = { id: `event ${n}`, stream: 'story', revision: n, storePosition: n }
      return { ...common, ...event, metadata: metadata(at(minute)) } as Recorded
    })
}

export type Row = Readonly<Record<string, string | number | null>>

/** The rows of a report, by their members. */
export const rowsOf = (report: ReportColumns | undefined): readonly Row[] => {
  const { buckets = [], keys = [], figures = [], codes = [], rows = new Float64Array() } = report ?? {}
  const names = [...figures, ...codes]
  return Array.from({ length: rows.length / (names.length + 2) }, (_, n) => {
    const [bucket = 0, key = 0, ...values] = rows.subarray(n * (names.length + 2), (n + 1) * (names.length + 2))
    const shown = names.map((name, at) => [name, Number.isNaN(values[at]) ? null : values[at]] as const)
    return { bucket: buckets[bucket] ?? null, key: keys[key] ?? null, ...Object.fromEntries(shown) }
  })
}
