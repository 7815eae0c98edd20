import { type Booked, type Taken, takenBy } from '../features/schedule/calendar.ts'
import { MINUTE } from '../format/times.ts'

/** Objects of the interface, as far as the page uses them. */

export interface Monitoring {
  readonly status: 'Online' | 'Offline' | 'Unknown' | 'SUT Monitoring Disabled'
  readonly status_description: string
  /** RFC 3339. */
  readonly last_updated: string
}

export interface Sut {
  readonly _id: string
  readonly name: string
  readonly description: string
  readonly address: string
  readonly port: number
  readonly sut_type: 'vnc' | 'rdp' | 'tcp'
  readonly is_active: boolean
  readonly manufacturer: string
  readonly model: string
  readonly os: string
  readonly version: string
  readonly tags: Readonly<Record<string, string>>
  readonly monitoring: Monitoring
  /** With `include=settings`, which the past does not have. */
  readonly settings?: Settings
}

/** What administrators set and everybody sees. */
export interface Settings {
  /** Seconds between two reservations. */
  readonly turnaround: number
  /** Seconds after which a reservation is released if nobody has connected; 0 is never. */
  readonly release_unused_after: number
}

/** What administrators alone see besides. */
export interface FullSettings extends Settings {
  /** Null once it is retired. */
  readonly listen_port: number | null
  /** Seconds between probes; null if it is not monitored. */
  readonly monitoring_interval: number | null
  readonly has_password: boolean
  readonly has_user_name: boolean
  readonly rdp_width: number | null
  readonly rdp_height: number | null
}

/** What a probe has found. */
export interface Checked {
  readonly reachable: boolean
  readonly cause: string | null
  readonly milliseconds: number
}

export interface Reservation {
  readonly _id: string
  readonly sut_id: string
  readonly user_id: string
  readonly listen_port: number
  /** RFC 3339. */
  readonly updated_at: string
  readonly start_time: string
  readonly end_time: string
}

/** With `include=names,state`. */
export interface NamedReservation extends Reservation {
  readonly user_name: string
  /** `null` for a machine outside one's scope. */
  readonly sut_name: string | null
  readonly state: 'ahead' | 'running' | 'over' | 'released' | 'cancelled'
  /** RFC 3339: the end before a release. */
  readonly planned_end_time: string
  /** With `include=series`; `null` for one of its own. */
  readonly series_id?: string | null
}

/** A period in which a reservation had connections. */
export interface Connected {
  readonly reservation_id: string
  /** RFC 3339; `closed_at` is `null` while it lasts. */
  readonly opened_at: string
  readonly closed_at: string | null
}

/** What somebody waits for: a machine that is as `match` says, or one machine. */
export interface SutRequest {
  readonly _id: string
  /** RFC 3339. */
  readonly created_at: string
  readonly user_id: string
  readonly user_name: string
  readonly match?: Match
  readonly sut_id?: string
  /** Seconds. */
  readonly duration: number
  readonly expires_at: string
  readonly priority: number
  /** Seconds for which a sign of life counts; `null` where none is needed. */
  readonly keepalive: number | null
  readonly status: 'waiting' | 'granted' | 'withdrawn' | 'expired'
  /** Why it expired before its time. */
  readonly cause?: 'keepalive' | 'retired'
  /** In a list: whether nobody has asked for it for so long. It is granted nothing, and is before nobody. */
  readonly passed_over?: boolean
  readonly sut_reservation_id: string | null
}

/** Criteria as the interface takes them: a field, a string or several; `null` is a tag that a machine does not have. */
export interface Match {
  readonly [field: string]: unknown
  readonly tags?: Readonly<Record<string, unknown>>
  readonly not?: Match
}

export interface Person {
  readonly _id: string
  readonly name: string
  /** Tags that a machine must have; empty for every machine. Only administrators see it of others. */
  readonly scope?: string
}

/** `Windows 11 24H2`. */
export const systemOf = ({ os, version }: Sut): string => [os, version].filter((part) => part !== '').join(' ')

/** Milliseconds between two reservations. The past does not tell. */
export const turnaroundOf = ({ settings }: Pick<Sut, 'settings'>): number => (settings?.turnaround ?? 0) * 1_000

/** The timeline shows minutes: a machine that was given back within this one is free at once. */
const toMinute = (time: string): number => Math.floor(Date.parse(time) / MINUTE) * MINUTE

/** A reservation on the timeline. */
export const bookedOf = ({ _id, user_id, start_time, end_time }: Reservation): Booked => ({
  ...{ _id, userId: user_id, from: toMinute(start_time), to: toMinute(end_time) },
  ends: Date.parse(end_time),
})

/** What is taken of a machine. */
export const takenOf = (sut: Pick<Sut, 'settings'>, booked: readonly Booked[] = []): readonly Taken[] =>
  takenBy(booked, turnaroundOf(sut))
