import type { Model as Calendar } from '../../domain/calendar/calendar-model.ts'
import { DOCUMENTED } from '../refusals/problems.ts'

/** The whole service as a child would keep it: a list of intervals for each SUT, and lists and maps for the rest. */

export interface Sut {
  readonly _id: string
  readonly listen_port: number
  readonly created: number
  updated: number
  /** In the interface's order of fields. */
  readonly values: Record<string, unknown>
  rdp_width: number | undefined
  readonly tags: Map<string, string>
  /** When something was last recorded of it or its reservations. */
  time: number
  /** How many events there are of it, less one. */
  revision: number
  /** The revision of the last event that was not about a reservation. */
  record: number
  readonly calendar: Calendar
  /** Of its reservations, by id. */
  readonly stamps: Map<string, { readonly created: number; updated: number }>
}

/** An answer that is no refusal. */
export interface Shown {
  readonly status: 200 | 201 | 304
  readonly text: string
  readonly etag?: string
  readonly location?: string
  /** Of what was recorded; anything up to the last one where nothing was. */
  readonly position?: number
}

export type Expected =
  | { readonly code: string; readonly help?: object | undefined }
  /** Makes it so, with the id that was assigned where something is created. */
  | { readonly settle: (id: string) => Shown; readonly isRecorded: boolean }

interface Remembered {
  readonly request: string
  readonly shown: Shown
}

export interface Model {
  /** Unix milliseconds, as all times here. */
  clock: number
  readonly suts: Sut[]
  readonly ports: {
    readonly range: readonly number[]
    time: number
    readonly held: Map<number, Sut>
    /** Ports in the order in which they were given back. */
    readonly freed: number[]
  }
  /** By user and key. */
  readonly keys: Map<string, Remembered>
  /** What must be in the log: the event's type, whose it is, and its time. */
  readonly log: string[]
}

export const newModel = (clock: number, range: readonly number[]): Model => ({
  clock,
  suts: [],
  ports: { range, time: 0, held: new Map(), freed: [] },
  keys: new Map(),
  // What the first start has recorded.
  log: ['StoreUpgraded'],
})

export const refused = (code: string, help?: object): Expected => {
  if (DOCUMENTED[code] === undefined) throw new TypeError(`${code} is no code`)
  return { code, help }
}
export const shown = (what: Shown): Expected => ({ settle: () => what, isRecorded: false })

const BEHIND_MAX = 60_000
/** Whether a clock has gone back too far to record anything behind what was recorded at `time`. */
export const isBehind = ({ clock }: Model, time: number): boolean => clock < time - BEHIND_MAX

const written = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Puts an event behind the last one and gives its position. */
export const log = (model: Model, type: string, id: string, time: number): number =>
  model.log.push(`${type} ${id} ${written(time)}`) - 1

/** Puts an event into a SUT's stream, at the clock's time or, where that went back, at the last one's. */
export const record = (model: Model, sut: Sut, type: string, id: string): number => {
  sut.time = Math.max(model.clock, sut.time)
  sut.revision++
  return log(model, type, id, sut.time)
}

export const textOfSut = (sut: Sut): string => {
  const offset = (time: number): string => written(time).replace('Z', '+00:00')
  const monitoring = {
    status: 'SUT Monitoring Disabled',
    last_updated: offset(sut.created).replace(/\.\d{3}/, ''),
    status_description: 'SUT Monitoring is disabled',
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

/** The id that the service made of a time and random bits: its first digits must be that time's second. */
export const checkedId = (id: string, time: number): string => {
  if (!/^[0-9a-f]{24}$/.test(id) || Number.parseInt(id.slice(0, 8), 16) !== Math.floor(time / 1000)) {
    throw new Error(`${id} is no id of ${written(time)}`)
  }
  return id
}

/** What a request with a retry key is answered, if its user has sent that key before. */
export const remembered = (model: Model, key: string, request: string): Expected | undefined => {
  const known = model.keys.get(key)
  if (known === undefined) return undefined
  return known.request === request ? shown(known.shown) : refused('idempotency_key_reused')
}
