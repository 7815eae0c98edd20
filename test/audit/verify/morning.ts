import type { ExecutionContext } from 'ava'
import { verifyLog } from '../../../src/audit/verify/verify.ts'
import type { Event, Metadata } from '../../../src/domain/event.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import { LISTEN_PORTS_STREAM, makeEventId, sutStream } from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import {
  administrator,
  alice,
  bob,
  clock,
  metadata,
  reservationCreated,
  reservationExtended,
  sutValues,
  wall,
} from '../../domain/builders.ts'

/** A valid log of one SUT, and helpers to break one rule at a time. */

export const idAt = (time: string, n: number): string =>
  Math.floor(clock(time) / 1_000).toString(16) + n.toString(16).padStart(16, '0')

export const SUT = idAt('05:00', 0)
export const PORT = 20_017
export const KEY = `${'k'.repeat(22)}.${'r'.repeat(22)}`

/** An event at a time of the day, by default by an actor that may record it. */
export type Entry = readonly [time: string, event: Event, more?: Partial<Metadata>]

/** Sets the SUT, and a wrong port if the event has one. */
export const of = (event: Event): Event => {
  const port = 'listen_port' in event.data && { listen_port: 4711 }
  return { ...event, data: { ...event.data, sut_id: SUT, ...port } } as Event
}
export const onPort = (event: Event): Event => {
  const { type, data } = of(event)
  return { type, data: { ...data, listen_port: PORT } } as Event
}
export const made = (time: string, n: number, start: string, end: string, user_id = alice): Entry => [
  time,
  onPort(reservationCreated(idAt(time, n), start, end, user_id)),
]
export const updated = (data: object): Event => ({ type: 'SutUpdated', data: { _id: SUT, ...data } }) as Event
export const retired: Event = { type: 'SutRetired', data: { _id: SUT, listen_port: PORT } }
export const assigned: Event = { type: 'ListenPortAssigned', data: { listen_port: PORT, sut_id: SUT } }
export const released: Event = { type: 'ListenPortReleased', data: { listen_port: PORT, sut_id: SUT } }
export const created: Event = { type: 'SutCreated', data: { _id: SUT, ...sutValues(), listen_port: PORT } }
export const abandoned: Event = { type: 'SutCreationAbandoned', data: { _id: SUT, listen_port: PORT } }

export const upgraded: Event = { type: 'StoreUpgraded', data: { from: 1, to: 2 } }

export const BEGINNING: readonly Entry[] = [
  ['05:00', assigned],
  ['05:00', created],
  ['05:10', updated({ tags: { site: 'b12' } }), { key: KEY }],
]
export const FIRST = idAt('05:20', 1)
export const MORNING: readonly Entry[] = [
  ...BEGINNING,
  made('05:20', 1, '06:00', '07:00'),
  made('05:21', 2, '08:00', '09:00', bob),
  ['06:10', of(reservationExtended(FIRST, wall('07:30')))],
]

const OF_BERTH: readonly Event['type'][] = ['ListenPortReleased', 'SutCreationAbandoned', 'StoreUpgraded']

export const roleOf = ({ type }: Event): Metadata['role'] => {
  if (type.startsWith('Reservation')) return 'tester'
  return OF_BERTH.includes(type) ? 'system' : 'administrator'
}

export const actorOf = (event: Event): string => {
  const role = roleOf(event)
  if (role !== 'tester') return role === 'system' ? 'berth' : administrator._id
  return (event.data as { user_id: string }).user_id
}

export interface Written {
  readonly [member: string]: unknown
}

export const write = (log: readonly Entry[]): readonly Written[] => {
  const revisions = new Map<string, number>()
  return log.map(([time, event, more], n) => {
    const { type, data } = event
    const isOfPorts = type.startsWith('ListenPort') || type === 'StoreUpgraded'
    const stream = isOfPorts ? LISTEN_PORTS_STREAM : sutStream(SUT)
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const written = metadata(formatMilliseconds(clock(time)), { actor: actorOf(event), role: roleOf(event), ...more })
    return {
      stream,
      revision,
      type,
      data,
      id: makeEventId(clock(time), `${n}`.padStart(19, '0').padEnd(20, '0')),
      metadata: written,
    }
  })
}

export const verify = (texts: readonly string[]) => {
  const pages = async function* () {
    yield texts.map((text, mark) => ({ text, mark }))
  }
  return verifyLog({ records: pages(), reread: pages })
}

export const findingsIn = async (
  log: readonly Entry[],
  change: (events: readonly Written[]) => readonly Written[] = (same) => same,
) => {
  const { findings } = await verify(change(write(log)).map(canonicalJson))
  return findings.map(({ position, what }) => `${position}: ${what}`)
}

/** Asserts exactly one finding, which matches `expected`. */
export const finds = async (
  t: ExecutionContext,
  expected: RegExp,
  ...log: Parameters<typeof findingsIn>
): Promise<void> => {
  const found = await findingsIn(...log)
  t.is(found.length, 1, found.join('\n'))
  t.regex(String(found[0]), expected)
}
