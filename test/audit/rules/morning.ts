/** A valid log of one SUT, and helpers to break one rule at a time. */

import type { ExecutionContext } from 'ava'
import { verifyLog } from '../../../src/audit/verify/verify.ts'
import { type Event, factsOf, type Metadata } from '../../../src/domain/event.ts'
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts'
import {
  LISTEN_PORTS_STREAM,
  makeEventId,
  monitoringStream,
  REFUSALS_STREAM,
  REQUESTS_STREAM,
  SCHEDULE_STREAM,
  sessionStream,
  sutStream,
  tokenStream,
  USERS_STREAM,
  WEBHOOKS_STREAM,
} from '../../../src/domain/values/ids.ts'
import { formatMilliseconds } from '../../../src/domain/values/instant.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import {
  administrator,
  alice,
  bob,
  clock,
  matchOffered,
  metadata,
  reservationCreated,
  reservationEnded,
  reservationExtended,
  reservationReleased,
  reservationSeriesCreated,
  reservationStarted,
  sutValues,
  wall,
} from '../../domain/builders.ts'

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
export const releasedPort: Event = { type: 'ListenPortReleased', data: { listen_port: PORT, sut_id: SUT } }
export const created: Event = { type: 'SutCreated', data: { _id: SUT, ...sutValues(), listen_port: PORT } }
export const abandoned: Event = { type: 'SutCreationAbandoned', data: { _id: SUT, listen_port: PORT } }

export const monitored = (interval: number): Event => ({ type: 'SutMonitoringEnabled', data: { _id: SUT, interval } })
export const unmonitored: Event = { type: 'SutMonitoringDisabled', data: { _id: SUT } }
const byInstance = (instance: string) => ({ request_id: `${instance}:request-1` })
/** Of two instances. */
export const [ONE, OTHER] = [byInstance('0123456789abcdef'), byInstance('fedcba9876543210')] as const
export const online: Event = { type: 'SutWentOnline', data: { _id: SUT } }
/** A change with a cause. */
export const went = (type: 'SutWentOnline' | 'SutWentOffline', cause: string): Event =>
  ({ type, data: { _id: SUT, cause } }) as Event
export const offline: Event = { type: 'SutWentOffline', data: { _id: SUT, cause: 'timed_out' } }

export const versionSet: Event = { type: 'LogVersionSet', data: { version: 4 } }

export const began = (from: string): Event => ({
  type: 'ScheduleBegan',
  data: { from: formatMilliseconds(clock(from)) },
})
export const startedAt = (_id: string, due: string, user_id = alice): Event =>
  of(reservationStarted(_id, formatMilliseconds(clock(due)), user_id))
export const endedAt = (_id: string, due: string, user_id = alice): Event =>
  of(reservationEnded(_id, formatMilliseconds(clock(due)), user_id))

const administratorOf = { actor: administrator._id, role: 'administrator' } as const
export const BY_BERTH = { actor: 'berth', role: 'system' } as const
export const BY_GATEWAY = { actor: 'gateway', role: 'system' } as const
export const BY_SCHEDULE = { actor: 'schedule', role: 'system' } as const
/** The keyed hash of an address. */
export const CLIENT = `k1:${'a'.repeat(22)}`

export const BEGINNING: readonly Entry[] = [
  ['05:00', assigned],
  ['05:00', created],
  ['05:10', updated({ tags: { site: 'b12' } }), { key: KEY }],
]
export const [FIRST, SECOND] = [idAt('05:20', 1), idAt('05:21', 2)]
/** A session of the first reservation. */
export const openedSession = (n: number, time: string, more: object = {}): Event => {
  const ids = { _id: idAt(time, n), reservation_id: FIRST, sut_id: SUT, user_id: alice }
  const opened_at = formatMilliseconds(clock(time))
  return { type: 'SessionOpened', data: { ...ids, instance: '0123456789abcdef', opened_at, ...more } } as Event
}
export const closedSession = (opened: Event, time: string, more: object = {}): Event => {
  const counts = { connections: 2, bytes_to_sut: 1, bytes_from_sut: 9, cause: 'client' }
  const closed_at = formatMilliseconds(clock(time))
  return { type: 'SessionClosed', data: { ...opened.data, closed_at, ...counts, ...more } } as Event
}

export const MORNING: readonly Entry[] = [
  ...BEGINNING,
  made('05:20', 1, '06:00', '07:00'),
  made('05:21', 2, '08:00', '09:00', bob),
  ['06:10', of(reservationExtended(FIRST, wall('07:30')))],
]

/** Who records an event as a rule: the first whom its declaration names. */
const recorderOf = ({ type, data }: Event): Pick<Metadata, 'actor' | 'role'> => {
  const { by } = factsOf(type)
  const actor = by[0] as string
  if (actor !== 'users') return { actor, role: 'system' }
  const isOfTester = 'user_id' in data && !type.startsWith('Token')
  return isOfTester ? { actor: data.user_id as string, role: 'tester' } : administratorOf
}

/** The stream in which its declaration allows an event. */
const streamOf = ({ type, data }: Event): string => {
  const { sut_id = SUT, user_id = alice } = data as { readonly sut_id?: string; readonly user_id?: string }
  const streams = [
    ...[LISTEN_PORTS_STREAM, USERS_STREAM, REQUESTS_STREAM, REFUSALS_STREAM, SCHEDULE_STREAM, WEBHOOKS_STREAM],
    ...[sutStream(SUT), monitoringStream(SUT), sessionStream(sut_id), tokenStream(user_id), `match-${'k'.repeat(22)}`],
  ]
  return streams.find((stream) => factsOf(type).isIn(stream, data as never)) as string
}

export interface Written {
  readonly [member: string]: unknown
}

export const write = (log: readonly Entry[]): readonly Written[] => {
  const revisions = new Map<string, number>()
  return log.map(([time, event, more], n) => {
    const { type, data } = event
    const stream = streamOf(event)
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const written = metadata(formatMilliseconds(clock(time)), { ...recorderOf(event), ...more })
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
    yield texts.map((text, n) => ({ text, storePosition: toStorePosition(n) }))
  }
  return verifyLog({ records: pages() })
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

/** A reservation from 06:00 to 07:00 that is to be kept alive every ten minutes, and its release by the schedule. */
export const LIVELY: readonly Entry[] = [
  ...BEGINNING,
  [
    '05:20',
    onPort({
      type: 'ReservationCreated',
      data: { ...reservationCreated(FIRST, '06:00', '07:00').data, keepalive: 600 },
    }),
  ],
]
export const forCause = (time: string, cause: 'keepalive' | 'unused' = 'keepalive'): Entry => {
  const { type, data } = reservationReleased(FIRST, wall(time))
  return [time, of({ type, data: { ...data, cause } }), BY_SCHEDULE]
}

const SERIES = idAt('06:20', 10)
export const series: Entry = ['06:20', of(reservationSeriesCreated(SERIES, '10:07', '11:00'))]
/** The `n`th reservation of the series. */
export const member = (n: number, day = '2030-05-02', more: object = {}): Entry => {
  const [start, end] = [`${day}T10:00:00+00:00`, `${day}T11:00:00+00:00`]
  const { type, data } = onPort(reservationCreated(idAt('06:20', 10 + n), start, end))
  return ['06:20', { type, data: { ...data, series_id: SERIES, ...more } } as Event]
}

/** An offer of the SUT to a request with criteria. */
export const matched = (_id: string, user_id = alice): Event => of(matchOffered(_id, '10:00', '11:00', user_id))

/** Asserts that the last event is found to be unlawful, with few words, and nothing before it. */
export const findsLast = async (t: ExecutionContext, expected: RegExp, log: readonly Entry[]): Promise<void> => {
  const found = await findingsIn(log)
  t.true(
    found.some((each) => expected.test(each)),
    found.join('\n') || 'nothing was found',
  )
  t.true(found.length <= 2 && found.every((each) => each.startsWith(`${log.length - 1}: `)), found.join('\n'))
}
