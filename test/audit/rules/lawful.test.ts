import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import {
  bob,
  reservationCancelled,
  reservationKept,
  reservationOfferRefused,
  reservationReleased,
  userChanged,
  userRemoved,
  userRestored,
  wall,
} from '../../domain/builders.ts'
import {
  ANY_SUT,
  ended,
  expired,
  made as granted,
  kept,
  LATER,
  OFFER,
  offered,
  requested,
} from './events-of-requests.ts'
import {
  abandoned,
  assigned,
  BEGINNING,
  BY_BERTH,
  BY_GATEWAY,
  BY_SCHEDULE,
  began,
  closedSession,
  type Entry,
  endedAt,
  FIRST,
  findingsIn,
  forCause,
  idAt,
  KEY,
  LIVELY,
  MORNING,
  made,
  matched,
  monitored,
  ONE,
  OTHER,
  of,
  offline,
  online,
  openedSession,
  PORT,
  releasedPort,
  retired,
  SECOND,
  startedAt,
  unmonitored,
  updated,
  versionSet,
  went,
} from './morning.ts'
import { cancelled, PEOPLE, revoked, token } from './people.ts'

type Logs = readonly (readonly Entry[])[]

const OPEN = openedSession(2, '06:15')
const ELSEWHERE = openedSession(4, '06:21', { instance: 'fedcba9876543210' })
const LATE = openedSession(3, '06:20')
const released = (time: string): Entry => [time, of(reservationReleased(FIRST, wall(time)))]
/** The morning, with a schedule that began at 05:15. */
const [START, END]: Entry[] = [
  ['06:00', startedAt(FIRST, '06:00')],
  ['07:30', endedAt(FIRST, '07:30')],
] as const
const RUNNING: readonly Entry[] = [
  ...MORNING.slice(0, 3),
  ['05:15', began('05:15')],
  ...MORNING.slice(3, 5),
  START as Entry,
  ...MORNING.slice(5),
]
const PROBED: readonly Entry[] = [...BEGINNING, ['05:11', monitored(60)], ['05:12', online, ONE]]
const OUTAGE: readonly Entry[] = [...PROBED, ['05:13', offline, ONE], ['05:14', went('SutWentOffline', 'refused'), ONE]]
const offer = (_id = OFFER): Entry => ['06:21', of(matched(_id))]
const forCriteria = (): Entry => granted(OFFER, ANY_SUT)
const refused: Entry = ['06:21', of(reservationOfferRefused(OFFER))]
const refusedBySchedule: Entry = [...refused.slice(0, 2), BY_SCHEDULE] as never
const alive = { ...ANY_SUT, keepalive: 60 }
const counted = (more: object): Entry => [
  '06:20',
  {
    type: 'RefusalsCounted',
    data: { from: '2030-05-02T06:19:00.000Z', to: '2030-05-02T06:20:00.000Z', ...more },
  } as Event,
]

/** Logs without findings, by what they show. */
const LAWFUL: Readonly<Record<string, Logs>> = {
  'a SUT is created, retired or broken off, and its port assigned again': [
    MORNING,
    [
      ...MORNING,
      ['10:00', retired],
      ['10:00', releasedPort],
      ['10:01', { ...assigned, data: { listen_port: PORT, sut_id: idAt('10:01', 9) } } as Event],
    ],
    [
      ['05:00', assigned],
      ['05:02', abandoned],
      ['05:02', releasedPort],
    ],
    [
      ['05:00', assigned],
      ['2030-05-04T05:01:00Z', releasedPort],
    ],
  ],
  'a reservation is kept alive by its holder or a connection, and released once nobody does': [
    [...LIVELY, ['06:06', of(reservationKept(FIRST))], ['06:12', of(reservationKept(FIRST))], forCause('06:22')],
    [...LIVELY, ['06:06', of(reservationKept(FIRST)), BY_GATEWAY], ['06:07', of(reservationKept(FIRST))]],
    [...LIVELY, ['05:30', updated({ release_unused_after: 1_200 })], forCause('06:20', 'unused')],
    [
      ...[['04:00', versionSet] as Entry, ...LIVELY],
      ['06:00:01', of(reservationKept(FIRST))],
      ['06:12', of(reservationKept(FIRST)), BY_GATEWAY],
    ],
  ],
  'starts and ends are recorded in time, late, and of what was released or cancelled': [
    [
      ...[...RUNNING, END as Entry],
      ['08:00', startedAt(SECOND, '08:00', bob)],
      ['09:00', endedAt(SECOND, '09:00', bob)],
    ],
    [
      ...RUNNING,
      ['11:00', endedAt(FIRST, '07:30')],
      ['11:00', startedAt(SECOND, '08:00', bob)],
      ['11:00', endedAt(SECOND, '09:00', bob)],
    ],
    [...RUNNING, released('06:30'), ['06:31', of(reservationCancelled(SECOND, bob))]],
    [...RUNNING, ['10:00', retired], ['10:01', endedAt(FIRST, '07:30')]],
    [...RUNNING, made('07:31', 3, '07:30', '07:45')],
  ],
  'an idempotency key recurs after a day, or after its creation was abandoned': [
    [...BEGINNING, ['2030-05-03T05:10:00Z', updated({ os: 'linux' }), { key: KEY }]],
    [
      ['05:00', assigned, { key: KEY }],
      ['05:02', abandoned],
      ['05:02', releasedPort],
      ['05:03', { ...assigned, data: { listen_port: 1, sut_id: idAt('05:03', 1) } } as Event, { key: KEY }],
    ],
  ],
  'probes find a SUT as it is, and monitoring ends first': [
    [...PROBED, ['05:13', offline, ONE], ['05:14', online, OTHER]],
    [...PROBED, ['05:22', offline, OTHER]],
    [...PROBED, ['05:13', updated({ port: 5999 })], ['05:13', online, OTHER], ['05:13:30', monitored(30)]],
    [
      ...PROBED,
      ['05:13', unmonitored],
      ['05:13:01', offline, ONE],
      ['05:14', monitored(60)],
      ['05:14', offline, OTHER],
    ],
    [...PROBED, ['05:13', retired], ['05:13:01', offline, ONE]],
    [...OUTAGE, ['06:14', offline, ONE]],
    [...PROBED, ['05:13', went('SutWentOnline', 'no_password'), OTHER]],
  ],
  'sessions are recorded however late': [
    [...MORNING, ['06:15', OPEN], ['06:20', closedSession(OPEN, '06:15')]],
    [
      ...[...MORNING, ['06:15', OPEN] as Entry, ['06:21', ELSEWHERE] as Entry, released('06:30')],
      ['06:31', closedSession(ELSEWHERE, '06:21', { cause: 'lost' })],
    ],
    [...MORNING, ['09:10', retired], ['11:00', LATE], ['11:00', closedSession(LATE, '06:30')]],
  ],
  'offers are taken up, refused or left open': [
    [...MORNING, forCriteria()],
    [...MORNING, offer()],
    [...MORNING, offer(), forCriteria()],
    [...MORNING, offer(), refused, offer(LATER), granted(LATER, { match: { not: { os: 'linux' } } })],
  ],
  'requests are granted, withdrawn, expire or wait': [
    [...MORNING, requested()],
    [...MORNING, requested(), offered()],
    [...MORNING, requested(), offered(), granted(), ended('RequestGranted')],
    [...MORNING, requested(), offered(), refusedBySchedule, ended('RequestOfferClosed'), expired('06:31')],
    [...MORNING, requested(), ['06:31', { type: 'RequestWithdrawn', data: expired('06:31')[1].data } as Event]],
    [...MORNING, requested(alive), kept('06:20:31'), kept('06:21:02'), expired('06:23:02', 'keepalive')],
    [
      ...MORNING,
      requested({ ...ANY_SUT, expires_at: '2030-05-02T06:20:00.000Z' }, '06:20'),
      offered(idAt('06:20', 6), '06:20'),
    ],
  ],
  'refusals are counted': [
    [...MORNING, counted({ refusals: [], others: 3 })],
    [...MORNING, counted({ refusals: [{ user_id: bob, code: 'no_sut_free', count: 1, match: { os: 'windows' } }] })],
  ],
  'people come, change, go and return, with their tokens': [
    [...MORNING, ...PEOPLE],
    [...MORNING, ...PEOPLE, ['06:18', cancelled, BY_BERTH]],
    [...MORNING, ...PEOPLE, ['06:18', userRestored(bob)], ['06:19', cancelled, BY_BERTH]],
    [
      ...[...MORNING, ...PEOPLE, ['06:18', userRemoved(undefined, 'cancel')] as Entry],
      ['06:19', of(reservationReleased(FIRST, wall('06:19'))), BY_BERTH],
      ['06:20', userRestored()],
    ],
    [...MORNING, ...PEOPLE, ['06:20', userRemoved()], ['06:21', token(8)], ['06:21', revoked(8), BY_BERTH]],
    [...PEOPLE.slice(1, 2), ['06:18', userChanged({ role: 'administrator' })]],
    [...PEOPLE.slice(1, 2), ['06:18', userRemoved()]],
  ],
}

for (const [what, logs] of Object.entries(LAWFUL))
  test(`a log has no findings in which ${what}`, async (t) => {
    for (const log of logs) t.deepEqual(await findingsIn(log), [])
  })
