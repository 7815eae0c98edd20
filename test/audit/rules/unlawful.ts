import type { Event } from '../../../src/domain/event.ts'
import {
  bob,
  reservationBound,
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
  closedSession,
  created,
  type Entry,
  FIRST,
  idAt,
  made,
  monitored,
  ONE,
  of,
  online,
  onPort,
  openedSession,
  PORT,
  released,
  retired,
  SUT,
  unmonitored,
  updated,
} from '../verify/morning.ts'

export const tag = (name: string, value: string | null) => updated({ tags: { [name]: value } })
export const inactive: Entry = ['05:15', updated({ is_active: false })]

/** The keyed hash of an address. */
export const CLIENT = `k1:${'a'.repeat(22)}`

/** Sessions of the morning log: one that is closed, and one that is open. */
const [CLOSED, OPEN] = [openedSession(1, '06:12'), openedSession(2, '06:15')]
export const SESSIONS: readonly Entry[] = [
  ['06:12', CLOSED],
  ['06:13:30', closedSession(CLOSED, '06:13')],
  ['06:15', OPEN],
]

/** With the cause of a release. */
export const forCause = ({ type, data }: Event, cause: 'keepalive' | 'unused'): Event =>
  ({ type, data: { ...data, cause } }) as Event

const beyondQuota = (event: Event): Event => ({ ...event, data: { ...event.data, beyond_quota: true } }) as Event

const counting = (counted: number, offset = '+00:00'): Event => {
  const { type, data } = reservationCreated(idAt('06:20', 3), '10:00', '10:30')
  const end_time = offset === '+00:00' ? data.end_time : '2030-05-02T12:30:00+02:00'
  return onPort({ type, data: { ...data, end_time, counted } })
}

/** Events that are invalid after the morning log, and the finding for each. */
export const INVALID: readonly (readonly [what: string, entry: Entry, expected: RegExp])[] = [
  [
    'a reservation beyond the quota by a tester',
    ['06:20', onPort(beyondQuota(reservationCreated(idAt('06:20', 3), '10:00', '10:15')))],
    /forbidden/,
  ],
  ['a reservation that counts more than its window', ['06:20', counting(3)], /counts 3 quarter-hours/],
  [
    'a reservation asked for by its ends that counts less than its window',
    ['06:20', counting(1, '+02:00')],
    /counts 1 quarter-hours, but its window has 2/,
  ],
  [
    'an extension beyond the quota by a tester',
    ['06:20', of(beyondQuota(reservationExtended(FIRST, wall('07:45'))))],
    /forbidden/,
  ],
  ['a reservation that starts within another', made('06:20', 3, '07:15', '08:00'), /reservation_conflict/],
  ['a reservation that ends within another', made('06:20', 3, '07:30', '08:15'), /reservation_conflict/],
  ['a reservation around another', made('06:20', 3, '07:45', '09:15'), /reservation_conflict/],
  ['a reservation that starts before its creation', made('07:50', 3, '07:30', '08:00'), /window_in_the_past/],
  ['a reservation in the past', made('07:50', 3, '07:30', '07:45'), /window_over/],
  ['a window off the grid', made('06:20', 3, '09:05', '09:15'), /another start_time/],
  ['a window that ends before it starts', made('06:20', 3, '10:00', '09:45'), /window_empty/],
  [
    'a window on a day that does not exist',
    made('06:20', 3, '2030-02-30T10:00:00+00:00', '2030-03-03T10:00:00+00:00'),
    /which is not an existing date/,
  ],
  [
    'a reservation with the wrong port',
    ['06:20', of(reservationCreated(idAt('06:20', 3), '10:00', '10:15'))],
    /another listen_port/,
  ],
  [
    'an id with another creation second',
    ['06:20', onPort(reservationCreated(idAt('06:21', 3), '10:00', '10:15'))],
    /does not begin with its creation second/,
  ],
  [
    'an extension into another reservation',
    ['06:20', of(reservationExtended(FIRST, wall('08:15')))],
    /reservation_conflict/,
  ],
  ['a shortening to the current end', ['06:20', of(reservationShortened(FIRST, wall('07:30')))], /without an effect/],
  ['a shortening to the start', ['05:40', of(reservationShortened(FIRST, wall('06:00')))], /window_empty/],
  ['a shortening off the grid', ['06:20', of(reservationShortened(FIRST, wall('07:01')))], /another end_time/],
  ['a shortening to the past', ['06:50', of(reservationShortened(FIRST, wall('06:45')))], /end_not_later_than_now/],
  ['an extension to an earlier end', ['06:20', of(reservationExtended(FIRST, wall('07:15')))], /end_not_later/],
  ['an extension to the current end', ['06:20', of(reservationExtended(FIRST, wall('07:30')))], /without an effect/],
  ['an extension off the grid', ['06:20', of(reservationExtended(FIRST, wall('07:31')))], /another end_time/],
  ['an extension of a past reservation', ['07:30', of(reservationExtended(FIRST, wall('08:00')))], /reservation_over/],
  [
    'an extension of an unknown reservation',
    ['06:20', of(reservationExtended(idAt('05:20', 7), wall('08:00')))],
    /reservation_over/,
  ],
  [
    'an extension for another user',
    ['06:20', of(reservationExtended(FIRST, wall('08:00'), bob))],
    /not_your_reservation/,
  ],
  [
    'a release of a future reservation',
    ['06:20', of(reservationReleased(idAt('05:21', 2), wall('08:00').replace('00+', '01+'), bob))],
    /then is a ReservationCancelled/,
  ],
  [
    'a release at another second',
    ['06:20:30', of(reservationReleased(FIRST, '2030-05-02T06:20:31+00:00'))],
    /another end_time/,
  ],
  [
    'a release in another offset',
    ['06:20', of(reservationReleased(FIRST, '2030-05-02T08:20:00+02:00'))],
    /another end_time/,
  ],
  ['a release of a past reservation', ['07:30', of(reservationReleased(FIRST, wall('07:30')))], /reservation_over/],
  [
    'a cancellation of a running reservation',
    ['06:20', of(reservationCancelled(FIRST))],
    /then is a ReservationReleased/,
  ],
  ['an unbinding of a reservation that is not bound', ['06:20', of(reservationUnbound(FIRST))], /without an effect/],
  ['an unbinding of a past reservation', ['07:30', of(reservationUnbound(FIRST))], /without an effect/],
  ['an unbinding by a user', ['06:20', of(reservationUnbound(FIRST)), { role: 'tester' }], /Unbound by a tester/],
  [
    'an unbinding from a client',
    ['06:20', of(reservationUnbound(FIRST)), { client: CLIENT }],
    /names a client for what the service did itself/,
  ],
  ['a reservation kept alive that need not be', ['06:20', of(reservationKept(FIRST))], /not_kept_alive/],
  [
    'a release by a user for a cause',
    ['06:20', of(forCause(reservationReleased(FIRST, wall('06:20')), 'unused'))],
    /names a cause, which only releases by the schedule have/,
  ],
  [
    'a release by the schedule for no cause',
    ['06:20', of(reservationReleased(FIRST, wall('06:20'))), { role: 'system', actor: 'schedule' }],
    /names a cause, which only releases by the schedule have/,
  ],
  ['a binding to no client', ['06:20', of(reservationBound(FIRST))], /binds a reservation to no client/],
  ['a tag set to its current value', ['06:20', tag('site', 'b12')], /without an effect/],
  ['the removal of a missing tag', ['06:20', tag('room', null)], /without an effect/],
  [
    'a creation with no tags',
    ['06:20', { type: 'SutCreated', data: { ...created.data, tags: {} } } as Event],
    /without an effect/,
  ],
  ['an update of no tags', ['06:20', updated({ tags: {} })], /without an effect/],
  [
    'too many tags',
    ['06:20', updated({ tags: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`t${n}`, 'x'])) })],
    /cannot leave more than 64 tags/,
  ],
  ['a field set to its current value', ['06:20', updated({ os: 'windows' })], /without an effect/],
  ['an empty update', ['06:20', updated({})], /without an effect/],
  ['an update of tags and fields at once', ['06:20', updated({ tags: { a: 'b' }, os: 'linux' })], /another os than/],
  [
    'credentials without changes',
    ['06:20', updated({ credentials: { id: 'a'.repeat(24), changed: [] } })],
    /lists no changed credentials/,
  ],
  ['a probe of a SUT that was never monitored', ['06:20', online, ONE], /which was not monitored before/],
  ['monitoring disabled twice', ['06:20', unmonitored], /without an effect/],
  ['monitoring by the service', ['06:20', monitored(60), { role: 'system' }], /is a SutMonitoringEnabled by a system/],
  ['a probe by a user', ['06:20', online, { ...ONE, role: 'administrator' }], /is a SutWentOnline by a administrator/],
  [
    'a session of a reservation that does not exist',
    ['06:20', openedSession(9, '06:20', { reservation_id: idAt('05:20', 7) })],
    /is about the reservation .* which does not exist/,
  ],
  [
    'a session of another user',
    ['06:20', openedSession(9, '06:20', { user_id: bob })],
    /names another SUT or user than the reservation/,
  ],
  [
    'a session of another SUT',
    ['06:20', openedSession(9, '06:20', { sut_id: idAt('05:00', 9) })],
    /names another SUT or user than the reservation/,
  ],
  [
    'a session whose id is of another second',
    ['06:20', openedSession(9, '06:19', { opened_at: '2030-05-02T06:20:00.000Z' })],
    /does not begin with its creation second/,
  ],
  ['a session that was opened before', ['06:20', openedSession(1, '06:12')], /assigns an id that was assigned before/],
  ['a session that is closed twice', ['06:20', closedSession(CLOSED, '06:14')], /which is not open/],
  [
    'a close of a session that was never opened',
    ['06:20', closedSession(openedSession(9, '06:19'), '06:20')],
    /not open/,
  ],
  [
    'a second session at one instance',
    ['06:20', openedSession(9, '06:20')],
    /opens a second session of .* at one instance/,
  ],
  [
    'a close with other members',
    ['06:20', closedSession(OPEN, '06:20', { instance: 'fedcba9876543210' })],
    /closes the session .* with other members/,
  ],
  ['a session that ends before it begins', ['06:20', closedSession(OPEN, '06:14')], /before it was opened/],
  [
    'a session by a user',
    ['06:20', closedSession(OPEN, '06:20'), { role: 'tester' }],
    /is a SessionClosed by a tester/,
  ],
  [
    'a session by another process',
    ['06:20', closedSession(OPEN, '06:20'), { actor: 'monitor' }],
    /is by the service under the name monitor/,
  ],
  ['a second creation', ['06:20', created], /without an effect/],
  ['a retirement of a reserved SUT', ['06:20', retired], /sut_reserved/],
  [
    'a retirement with another port',
    ['10:00', { ...retired, data: { _id: SUT, listen_port: 1 } } as Event],
    /another listen_port/,
  ],
  [
    'a port assigned twice',
    ['06:20', { ...assigned, data: { listen_port: PORT, sut_id: idAt('06:20', 9) } } as Event],
    /which the SUT .* has/,
  ],
  [
    'a second port for a SUT',
    ['05:00', { ...assigned, data: { listen_port: 1, sut_id: SUT } } as Event],
    /second listen_port/,
  ],
  ['a port released by an active SUT', ['10:00', released], /which is standing/],
  [
    'a release of a port that the SUT does not have',
    ['10:00', { ...released, data: { listen_port: 1, sut_id: SUT } } as Event],
    /does not have/,
  ],
  ['a change by an auditor', ['06:20', updated({ os: 'linux' }), { role: 'auditor' }], /auditor, who cannot write/],
  [
    'a change of a SUT by a tester',
    ['06:20', updated({ os: 'linux' }), { role: 'tester' }],
    /by a tester, who cannot record it/,
  ],
  ['an update by the service', ['06:20', updated({ os: 'linux' }), { role: 'system' }], /is a SutUpdated by a system/],
  [
    'a reservation by a tester for another user',
    ['06:20', onPort(reservationCreated(idAt('06:20', 3), '10:00', '10:15')), { actor: bob }],
    /by the tester .* for the user/,
  ],
  ['a time before that of the previous event', ['06:09', updated({ os: 'linux' })], /earlier than the previous event/],
  [
    'a reused idempotency key',
    ['06:20', updated({ os: 'linux' }), { key: `${'k'.repeat(22)}.${'s'.repeat(22)}` }],
    /idempotency key already used in its stream/,
  ],
]
