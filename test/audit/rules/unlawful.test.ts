import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import {
  alice,
  bob,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationKept,
  reservationReleased,
  reservationShortened,
  reservationUnbound,
  wall,
} from '../../domain/builders.ts'
import {
  assigned,
  BEGINNING,
  BY_GATEWAY,
  CLIENT,
  closedSession,
  type Entry,
  endedAt,
  FIRST,
  findsLast,
  forCause,
  idAt,
  KEY,
  LIVELY,
  MORNING,
  made,
  member,
  monitored,
  ONE,
  of,
  offline,
  online,
  onPort,
  openedSession,
  releasedPort,
  retired,
  SUT,
  series,
  startedAt,
  unmonitored,
  updated,
} from './morning.ts'

/** An event, or a log, that is unlawful after the morning log, and what is found of its last event. */
type Row = readonly [what: string, log: Entry | readonly Entry[], expected: RegExp]

const at = (event: Event, more: Entry[2] = {}, time = '06:20'): Entry => [time, event, more]
const withData = (event: Event, more: object): Event => ({ ...event, data: { ...event.data, ...more } }) as Event
/** Decided again, each type of event at least once; the rules themselves are shown where the domain is tested. */
const OF_SUTS: readonly Row[] = [
  ['an empty update', at(updated({})), /SutUpdated without an effect/],
  ['an update of tags and fields at once', at(updated({ tags: { a: 'b' }, os: 'linux' })), /another os than/],
  ['a retirement of a reserved SUT', at(retired), /refused, sut_reserved: .* It is 717/],
  ['a retirement with another port', at(withData(retired, { listen_port: 1 }), {}, '10:00'), /another listen_port/],
  ['monitoring disabled twice', at(unmonitored), /SutMonitoringDisabled without an effect/],
  ['monitoring at the same interval', [at(monitored(60)), at(monitored(60))], /SutMonitoringEnabled without an effect/],
  ['a port assigned twice', at(withData(assigned, { sut_id: idAt('06:20', 9) })), /listen_ports_exhausted/],
  ['a second port for a SUT', at(withData(assigned, { listen_port: 1 }), {}, '05:00'), /assigned before/],
  ['a port released by an active SUT', at(releasedPort, {}, '10:00'), /which is standing/],
  [
    'a release of a port that the SUT does not have',
    [at(retired, {}, '10:00'), at(withData(releasedPort, { listen_port: 1 }), {}, '10:00')],
    /another listen_port/,
  ],
]

const OF_RESERVATIONS: readonly Row[] = [
  ['a reservation within another', made('06:20', 3, '07:15', '08:00'), /refused, reservation_conflict: .* It is 717/],
  [
    'a window on a day that does not exist',
    made('06:20', 3, '2030-02-30T10:00:00+00:00', '2030-03-03T10:00:00+00:00'),
    /which is not an existing date/,
  ],
  ['a wrong port', at(of(reservationCreated(idAt('06:20', 3), '10:00', '10:15'))), /another listen_port/],
  ['an id of another second', at(onPort(reservationCreated(idAt('06:21', 3), '10:00', '10:15'))), /another _id/],
  ['a reused id', [made('06:20', 3, '10:00', '10:15'), made('06:20', 3, '11:00', '11:15')], /assigned before/],
  [
    'a reservation beyond the quota by a tester',
    at(onPort(withData(reservationCreated(idAt('06:20', 3), '10:00', '10:15'), { beyond_quota: true }))),
    /forbidden/,
  ],
  ['an extension for another user', at(of(reservationExtended(FIRST, wall('08:00'), bob))), /not_your_reservation/],
  ['a shortening to the current end', at(of(reservationShortened(FIRST, wall('07:30')))), /without an effect/],
  ['a release at another second', at(of(reservationReleased(FIRST, wall('06:21')))), /another end_time/],
  ['a cancellation of a running one', at(of(reservationCancelled(FIRST))), /then is a ReservationReleased/],
  ['a sign of life that is not needed', at(of(reservationKept(FIRST))), /not_kept_alive/],
  ['a release by a user for a cause', at(forCause('06:20', 'unused')[1]), /ReservationReleased without an effect/],
  ['a series with too few reservations', [series, member(1), at(updated({ os: 'bsd' }))], /1 of its .* are missing/],
  ['one of a series that is not there', member(1), /belongs to the series .*, which is not before it/],
  ['one of another series', [series, member(1, undefined, { series_id: idAt('06:20', 9) })], /2 of its .* are missing/],
  ['one of another holder', [series, member(1, undefined, { user_id: bob })], /another holder than its series/],
]

const lively = (...log: readonly Entry[]): readonly Entry[] => [...LIVELY.slice(BEGINNING.length), ...log]
const LIFE: readonly Row[] = [
  ['a release before the deadline', lively(forCause('06:09')), /without an effect/],
  [
    'a connection after a heartbeat',
    lively(at(of(reservationKept(FIRST)), {}, '06:00:01'), at(of(reservationKept(FIRST)), BY_GATEWAY, '06:12')),
    /without an effect/,
  ],
]

const scheduled = (...log: readonly Entry[]): readonly Entry[] => [...MORNING.slice(3, 5), ...log]
const SCHEDULE: readonly Row[] = [
  ['a start due at another time', scheduled(['06:01', startedAt(FIRST, '06:01')]), /another due/],
  ['an end without a start', scheduled(['07:30', endedAt(FIRST, '07:00')]), /then is a ReservationStarted/],
  ['a start for another user', scheduled(['06:00', startedAt(FIRST, '06:00', bob)]), /another user_id/],
]

const probed = (...log: readonly Entry[]): readonly Entry[] => [
  ['05:11', monitored(60)],
  ['05:12', online, ONE],
  ...log,
]
const OPEN = openedSession(2, '06:15')
const SESSIONS: readonly Row[] = [
  [
    'one of no reservation',
    at(openedSession(9, '06:20', { reservation_id: idAt('05:20', 7) })),
    /which does not exist/,
  ],
  ['one of another user', at(openedSession(9, '06:20', { user_id: bob })), /names another SUT or user than the res/],
  ['one that was opened before', [at(OPEN), at(closedSession(OPEN, '06:16')), at(OPEN)], /assigned before/],
  ['a second one at one instance', [at(OPEN), at(openedSession(9, '06:20'))], /then is a SessionClosed/],
  ['a close with other members', [at(OPEN), at(closedSession(OPEN, '06:20', { user_id: bob }))], /another user_id/],
  ['a close before it began', [at(OPEN), at(closedSession(OPEN, '06:14'))], /another closed_at/],
]

const ENTRY = { user_id: alice, code: 'reservation_conflict', count: 2, sut_id: SUT }
const counted = (more: object): Entry => {
  const span = { from: '2030-05-02T06:19:00.000Z', to: '2030-05-02T06:20:00.000Z' }
  return at({ type: 'RefusalsCounted', data: { ...span, refusals: [ENTRY], ...more } } as Event)
}
const REFUSALS: readonly Row[] = [
  ['a count that ends before it begins', counted({ to: '2030-05-02T06:18:00.000Z' }), /another from/],
]

const ENVELOPE: readonly Row[] = [
  ['a time before that of the previous event', at(updated({ os: 'linux' }), {}, '06:09'), /earlier than the previous/],
  [
    'a reused key',
    at(updated({ os: 'x' }), { key: `${KEY.slice(0, 22)}.${'s'.repeat(22)}` }),
    /idempotency key already/,
  ],
  ['a change by an auditor', at(updated({ os: 'x' }), { role: 'auditor' }), /auditor, who cannot write/],
  ['a change of a SUT by a tester', at(updated({ os: 'x' }), { role: 'tester' }), /by a tester, who cannot record it/],
  ['an update by the service', at(updated({ os: 'x' }), { role: 'system' }), /is a SutUpdated by a system/],
  [
    'a reservation by a tester for another user',
    at(onPort(reservationCreated(idAt('06:20', 3), '10:00', '10:15')), { actor: bob }),
    /by the tester .* for the user/,
  ],
  ['a start by a user', at(startedAt(FIRST, '06:00'), { actor: bob, role: 'tester' }), /is a ReservationStarted by a/],
  ['a probe under another name', probed(['05:13', offline, { ...ONE, actor: 'schedule' }]), /under the name schedule/],
  ['an unbinding from a client', at(of(reservationUnbound(FIRST)), { client: CLIENT }), /names a client for what/],
]

const ALL = {
  ...{ OF_SUTS, OF_RESERVATIONS, LIFE, SCHEDULE, SESSIONS, REFUSALS, ENVELOPE },
}
/** Logs that begin before the reservations of the morning. */
const FROM_BEGINNING: readonly string[] = ['LIFE', 'SCHEDULE']

for (const [subject, rows] of Object.entries(ALL))
  for (const [what, log, expected] of rows)
    test(`verify finds ${what} (${subject})`, async (t) => {
      const entries = (typeof log[0] === 'string' ? [log] : log) as readonly Entry[]
      const startsEarly = FROM_BEGINNING.includes(subject) || (entries[0]?.[0] ?? '') < '05:20'
      await findsLast(t, expected, [...(startsEarly ? BEGINNING : MORNING), ...entries])
    })
