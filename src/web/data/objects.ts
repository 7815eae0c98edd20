/** Objects of the interface, by the names that the page uses. */

import { type Booked, type Taken, takenBy } from '../features/schedule/calendar.ts'
import { MINUTE } from '../format/format.ts'
import type { Schemas } from '../service/api.ts'

export type Sut = Schemas['Sut']
export const TYPES: Readonly<Record<Sut['sut_type'], string>> = { vnc: 'VNC', rdp: 'RDP', tcp: 'TCP' }
export type Monitoring = Sut['monitoring']
/** With `include=settings`, which the past does not have. Administrators alone see more than two of them. */
export type Settings = Schemas['SutSettings']
export type FullSettings = Required<Settings>
export type Reservation = Schemas['Reservation']
/** With `include=names,state`. `sut_name` is `null` for a machine outside one's scope. */
export type NamedReservation = Reservation &
  Required<Pick<Reservation, 'user_name' | 'sut_name' | 'state' | 'planned_end_time'>>
export type Checked = Schemas['Check']
export type SutRequest = Schemas['SutRequestList']['sut_requests'][number]
/** Criteria as the interface takes them: a field, a string or several; `null` is a tag that a machine does not have. */
export type Match = NonNullable<SutRequest['match']>
/** Only administrators see more than a name of others. */
export type Person = Schemas['UserName'] & Partial<Pick<Schemas['User'], 'scope'>>

/** `Windows 11 24H2`. */
export const systemOf = ({ os, version }: Sut): string => [os, version].filter((part) => part !== '').join(' ')

/** `Windows 11 24H2, rack 1, gpu a100`. */
export const aboutOf = (sut: Sut): string =>
  [systemOf(sut), ...Object.entries(sut.tags).map((tag) => tag.join(' '))].filter((part) => part !== '').join(', ')

/** The same with less, where there is little room: `Windows 11 24H2, rack 1`. */
export const briefOf = (sut: Sut, ...more: readonly string[]): string =>
  [systemOf(sut), ...more, sut.tags.rack && `rack ${sut.tags.rack}`].filter(Boolean).join(', ')

/** Milliseconds between two reservations. The past does not tell. */
export const turnaroundOf = ({ settings }: Pick<Sut, 'settings'>): number => (settings?.turnaround ?? 0) * 1_000

/** The timeline shows minutes: a machine that was given back within this one is free at once. */
const toMinute = (time: string): number => Math.floor(Date.parse(time) / MINUTE) * MINUTE

export const bookedOf = ({ _id, user_id, start_time, end_time }: Reservation): Booked => ({
  ...{ _id, userId: user_id, from: toMinute(start_time), to: toMinute(end_time) },
  ends: Date.parse(end_time),
})

export const takenOf = (sut: Pick<Sut, 'settings'>, booked: readonly Booked[] = []): readonly Taken[] =>
  takenBy(booked, turnaroundOf(sut))
