/** A naive model of the service: a list of intervals for each SUT, and lists and maps for the rest. */

import type { Model as Calendar } from '../../domain/calendar/bookings.ts'
import { EVENTS_OF_START } from '../harness.ts'
import { DOCUMENTED } from '../refusals/problems.ts'

/** The events that a start records: the last ones are of the users that it imports. */
export const BEGINNING: readonly string[] = Array.from({ length: EVENTS_OF_START }, (_, n) =>
  n === 0 ? 'LogVersionSet' : 'UserAdded',
)

export interface Sut {
  readonly _id: string
  readonly listen_port: number
  readonly created: number
  updated: number
  /** In the API's order of fields. */
  readonly values: Record<string, unknown>
  rdp_width: number | undefined
  /** Seconds; 0 is never. */
  unusedAfter: number
  /** Since when it is probed or not, and the seconds between probes; null while it is not. */
  monitoring: { readonly since: number; readonly interval: number | null }
  readonly tags: Map<string, string>
  /** The time of the last event of the SUT or its reservations. */
  time: number
  /** The number of its events, less one. */
  revision: number
  /** The revision of the last event that was not about a reservation. */
  record: number
  readonly calendar: Calendar
  /** Of its reservations, by id. */
  readonly stamps: Map<string, { readonly created: number; updated: number }>
}

export interface Limits {
  readonly hours_per_week: number | null
  readonly reservations_max: number | null
  readonly priority_max: number | null
}

/** A user whom quotas limit. */
export interface Limited {
  /** Null is the service's default. */
  quota: Limits | null
  revision: number
  updated: number
}

/** A success answer. */
export interface Shown {
  readonly status: 200 | 201 | 304
  readonly text: string
  readonly etag?: string
  readonly location?: string
  /** Until when the reservation is kept alive. */
  readonly until?: string
  /** The position of what was recorded. If nothing was, any position up to the last is right. */
  readonly position?: number
}

export interface Refused {
  readonly code: string
  readonly help?: Readonly<Record<string, unknown>> & { readonly conflicts?: readonly { readonly user_id: string }[] }
}

export type Expected =
  | Refused
  /** Applies the change, with the assigned id if something is created. */
  | { readonly settle: (id: string, sutId?: string, series?: NewSeries) => Shown; readonly isRecorded: boolean }

/** The assigned ids of a series and its reservations. */
export interface NewSeries {
  readonly _id: string
  readonly members: readonly string[]
}

/** A series that was made. */
export interface Series extends NewSeries {
  readonly sut: Sut
  readonly user_id: string
  /** Its document without the last brace. */
  readonly text: string
}

interface Remembered {
  readonly request: string
  readonly shown: Shown
}

export interface Model {
  /** Unix milliseconds, as all times here. */
  clock: number
  readonly suts: Sut[]
  readonly series: Series[]
  readonly ports: {
    readonly range: readonly number[]
    time: number
    readonly held: Map<number, Sut>
    /** Ports in the order of their release. */
    readonly freed: number[]
  }
  /** Unix milliseconds of the last event about a request. */
  requestsTime: number
  readonly people: {
    readonly created: number
    /** Of the last event of a user. */
    time: number
    /** The number of events of users, less one. */
    revision: number
    /** Testers, by name. */
    readonly limited: Map<string, Limited>
    /** Reservations that are beyond a quota, by id. */
    readonly exempt: Set<string>
  }
  /** By user and key. */
  readonly keys: Map<string, Remembered>
  /** The expected log: the type, subject and time of each event. */
  readonly log: string[]
}

export const newModel = (clock: number, range: readonly number[]): Model => ({
  clock,
  suts: [],
  series: [],
  ports: { range, time: 0, held: new Map(), freed: [] },
  requestsTime: 0,
  people: {
    ...{ created: clock, time: clock, revision: EVENTS_OF_START - 2, exempt: new Set() },
    // Imported testers have a quota without limits.
    limited: new Map(
      ['alice', 'bob'].map((name, n) => [
        name,
        {
          quota: { hours_per_week: null, reservations_max: null, priority_max: null },
          revision: n + 1,
          updated: clock,
        },
      ]),
    ),
  },
  keys: new Map(),
  // Recorded by the first start.
  log: [...BEGINNING],
})

export const refused = (code: string, help?: Refused['help']): Expected => {
  if (DOCUMENTED[code] === undefined) throw new TypeError(`${code} is not a code`)
  return { code, ...(help && { help }) }
}
export const shown = (what: Shown): Expected => ({ settle: () => what, isRecorded: false })

const BEHIND_MAX = 60_000
/** Whether the clock is too far behind `time` to record anything. */
export const isBehind = ({ clock }: Model, time: number): boolean => clock < time - BEHIND_MAX

const written = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Appends an event and returns its position. */
export const log = (model: Model, type: string, id: string, time: number): number =>
  model.log.push(`${type} ${id} ${written(time)}`) - 1

/** Appends an event to a SUT's stream, at the clock's time but not before the last event's. */
export const record = (model: Model, sut: Sut, type: string, id: string): number => {
  sut.time = Math.max(model.clock, sut.time)
  sut.revision++
  return log(model, type, id, sut.time)
}

export const textOfSut = (sut: Sut): string => {
  const offset = (time: number): string => written(time).replace('Z', '+00:00')
  // Nothing is probed in a story.
  const isProbed = sut.monitoring.interval !== null
  const monitoring = {
    status: isProbed ? 'Unknown' : 'SUT Monitoring Disabled',
    last_updated: offset(sut.monitoring.since).replace(/\.\d{3}/, ''),
    status_description: isProbed ? 'SUT has not been probed yet' : 'SUT Monitoring is disabled',
  }
  return JSON.stringify({
    _id: sut._id,
    created_at: offset(sut.created),
    updated_at: offset(sut.updated),
    ...sut.values,
    monitoring,
    tags: Object.fromEntries([...sut.tags].sort(([a], [b]) => (a < b ? -1 : 1))),
  })
}

export const shownSut = (sut: Sut, more: Partial<Shown> = {}): Shown => ({
  status: 200,
  text: textOfSut(sut),
  etag: `"${sut.record}"`,
  ...more,
})

/** Checks that an assigned id begins with the second of a time. */
export const checkedId = (id: string, time: number): string => {
  if (!/^[0-9a-f]{24}$/.test(id) || Number.parseInt(id.slice(0, 8), 16) !== Math.floor(time / 1000)) {
    throw new Error(`${id} is not an id of ${written(time)}`)
  }
  return id
}

/** The expected answer to a request with an idempotency key that its user has sent before. */
export const remembered = (model: Model, key: string, request: string): Expected | undefined => {
  const known = model.keys.get(key)
  if (known === undefined) return undefined
  return known.request === request ? shown(known.shown) : refused('idempotency_key_reused')
}
