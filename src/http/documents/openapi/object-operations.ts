import type { Code } from '../../protocol/problem.ts'
import { refTo } from './answer-schemas.ts'
import type { Operations } from './operation.ts'

/** Of a window, whatever form it has. */
export const OF_WINDOW: readonly Code[] = [
  'window_empty',
  'window_over',
  'window_too_long',
  'window_too_far',
  'window_in_the_past',
]
const OF_FORMS: readonly Code[] = ['window_required', 'window_ambiguous', ...OF_WINDOW]
const OF_RESERVATION: readonly Code[] = ['not_your_reservation', 'reservation_not_found', 'reservation_over']
const OF_CHANGE: readonly Code[] = [...OF_RESERVATION, 'reservation_cancelled']
export const OF_BOOKING: readonly Code[] = ['forbidden', 'sut_inactive', 'reservation_conflict', 'quota_exceeded']
const MATCHING: readonly Code[] = ['sut_required', 'sut_ambiguous', 'no_sut_matches', 'no_sut_free']
/** Answered with the SUT. */
const SUT = { answer: refTo('Sut'), isTagged: true } as const
const OF_SUT: readonly Code[] = ['sut_not_found', 'sut_retired']

const OUTAGES =
  'Outages that overlap the span, each as a whole and with its first cause, and the parts of the span in which nothing was known. The span is at most 31 days long, and ends now at the latest. With more than 10,000 changes it is refused.'

const INCLUDE =
  'What to add, separated by commas: names adds user_name and sut_name, state adds state and planned_end_time, series adds series_id.'

export const reservationOperations: Operations = {
  'POST /api/sut_reservation/create': {
    id: 'createReservation',
    summary: 'Reserve a SUT',
    description:
      'Send start_time and end_time, or start_in and duration in seconds. The window is extended to full quarter-hours of UTC. If a reservation was released within the first of them, the window starts at that time. A conflict lists the reservations in the way and the next free window of that length. With beyond_quota, which only administrators may send, it does not count for the quota of its holder. With keepalive it is released once nobody has kept it alive for so many seconds. With match in place of sut_id, any active SUT that fits, is not known to be offline and is free is reserved: first the one whose free span around the window is shortest, then the one that has been idle longest. If none is free, the refusal names the next window, and the longest from the same start.',
    answer: refTo('Reservation'),
    isKept: true,
    isCreation: true,
    refusals: ['not_your_reservation', 'user_not_found', ...OF_SUT, ...OF_BOOKING, ...MATCHING, ...OF_FORMS],
  },
  'GET /api/sut_reservation': {
    id: 'listReservations',
    summary: 'List reservations, newest created first',
    notes: {
      sut_id: 'Only those of these SUTs, up to 100.',
      include: `${INCLUDE} With state, cancelled also lists cancelled reservations.`,
    },
    answer: refTo('ReservationList'),
    refusals: ['list_too_large', 'store_full'],
  },
  'GET /api/sut_reservation/:id': {
    id: 'readReservation',
    summary: 'Read a reservation, or wait until it changes or is over',
    description:
      'With wait, it is answered when the reservation changes, when it is over or cancelled, or after that time. Signs of life change nothing.',
    notes: { include: INCLUDE, wait: 'Seconds to wait, 0 by default. Not with as_of.' },
    answer: refTo('Reservation'),
    isKept: true,
    refusals: ['reservation_not_found', 'reservation_cancelled', 'store_full'],
  },
  'POST /api/sut_reservation/:id/cancel': {
    id: 'cancelReservation',
    summary: 'Cancel or release a reservation',
    description:
      'A reservation that has not started is cancelled. A running one is released: it ends now. Either way the rest of its window is free at once.',
    answer: refTo('Reservation'),
    refusals: OF_RESERVATION,
  },
  'POST /api/sut_reservation/:id/extend': {
    id: 'extendReservation',
    summary: 'Extend a reservation',
    description:
      'Send a later end_time, a duration in seconds from the start, or by how many seconds the end that stands is to be later; then send an Idempotency-Key too. A conflict gives the latest possible end. Whether the reservation counts for the quota of its holder is decided again, as at its creation.',
    answer: refTo('Reservation'),
    refusals: [...OF_CHANGE, ...OF_SUT, ...OF_BOOKING, 'end_not_later', ...OF_FORMS],
  },
  'POST /api/sut_reservation/:id/shorten': {
    id: 'shortenReservation',
    summary: 'Let a reservation end earlier',
    description:
      'Send an earlier end_time that is after now. It is widened to its quarter-hour. What is freed is free at once. To end a reservation now, cancel it.',
    answer: refTo('Reservation'),
    refusals: [...OF_CHANGE, 'end_not_earlier', 'end_not_later_than_now', 'window_empty'],
  },
  'POST /api/sut_reservation/:id/update': {
    id: 'bindReservation',
    summary: 'Bind a reservation to your own address',
    description:
      'Only connections from the address that sends this may then use the reservation. Connections from the former address are cut.',
    answer: refTo('Reservation'),
    refusals: OF_CHANGE,
  },
  'POST /api/sut_reservation/:id/keepalive': {
    id: 'keepReservation',
    summary: 'Keep a reservation alive',
    description:
      'For a reservation made with `keepalive`, whose seconds then count anew. Recorded the first time, then only when less than half of them are left, so it may be sent often. Once it was sent, connections do not keep the reservation alive any more. Before the start it changes nothing. An Idempotency-Key is ignored.',
    answer: refTo('Reservation'),
    isKept: true,
    refusals: [...OF_CHANGE, 'not_kept_alive'],
  },
}

export const sutOperations: Operations = {
  'POST /api/sut/create': {
    id: 'createSut',
    summary: 'Create a SUT',
    description: 'password and user_name are stored encrypted and never returned.',
    answer: refTo('Sut'),
    isCreation: true,
    isTagged: true,
    refusals: ['listen_ports_exhausted'],
  },
  'POST /api/sut/import': {
    id: 'importSuts',
    summary: 'Create up to 500 SUTs',
    description:
      'All rows are checked first, and nothing is created if one has a problem. The SUTs are answered in the order of the rows, as they were created. With dry_run the answer has only their number, and nothing is created.',
    answer: refTo('ImportedSuts'),
    refusals: ['listen_ports_exhausted'],
  },
  'POST /api/sut/:id/update': {
    id: 'updateSut',
    summary: 'Update a SUT',
    description: 'Omitted fields keep their values.',
    ...SUT,
    refusals: OF_SUT,
  },
  'POST /api/sut/:id/tags': {
    id: 'tagSut',
    summary: 'Set and remove tags of a SUT',
    description:
      'A merge patch (RFC 7396): names with values, or with null to remove a tag. A SUT has at most 64 tags.',
    ...SUT,
    refusals: OF_SUT,
  },
  'POST /api/sut/:id/retire': {
    id: 'retireSut',
    summary: 'Retire a SUT',
    description: 'A retired SUT can only be read. Refused while the SUT has reservations that are not over.',
    ...SUT,
    refusals: ['sut_not_found', 'sut_reserved'],
  },
  'POST /api/sut/:id/monitoring': {
    id: 'monitorSut',
    summary: 'Begin or end probing a SUT',
    description:
      'Berth then connects to the SUT at this interval, and its `monitoring` says whether that succeeds. A changed interval keeps the status.',
    ...SUT,
    refusals: OF_SUT,
  },
  'POST /api/sut/:id/check': {
    id: 'checkSut',
    summary: 'Probe a SUT now',
    description:
      'Answers when the probe has ended, after 15 s at most. It counts like any other probe of a monitored SUT. Once a second per SUT.',
    answer: refTo('Check'),
    refusals: [...OF_SUT, 'not_forwarded', 'too_many_checks'],
  },
  'GET /api/sut': {
    id: 'listSuts',
    summary: 'List SUTs, newest created first',
    notes: {
      include: 'What to add: settings, of which lists have what everybody sees. Not with as_of, and not in CSV.',
    },
    answer: refTo('SutList'),
    refusals: ['list_too_large', 'store_full'],
  },
  'GET /api/sut/:id': {
    id: 'readSut',
    summary: 'Read a SUT',
    notes: {
      include:
        'What to add: settings, which are what administrators set. Others see turnaround and release_unused_after alone. Not with as_of.',
    },
    ...SUT,
    refusals: ['sut_not_found', 'store_full'],
  },
  'GET /api/sut/:id/availability': {
    id: 'readAvailability',
    summary: 'Find the free windows of a SUT',
    description: 'At most 1,000 windows. If there are more, next is the from with which to go on.',
    answer: refTo('Availability'),
    refusals: [...OF_SUT, 'store_full'],
  },
  'GET /api/availability': {
    id: 'findAvailability',
    summary: 'Find SUTs with free windows',
    description:
      'Active SUTs in scope with something free of at least duration, newest created first, found by the filters of the list of SUTs. With match, SUTs that fit and are not known to be offline, in the order in which a create with the same match would try them for the earliest such window of each. At most 100 free windows of each SUT; its next is where the following one begins. turnaround is neither held nor free. The next of the page continues it.',
    notes: {
      from: 'The start of the span; now by default.',
      to: 'The end of the span, at most 31 days after its start; 7 days after it by default.',
      limit: 'The maximum number of SUTs; 20 by default.',
      after: 'The next of the page before.',
      user_id: 'For whom: SUTs in the scope of that user. Administrators name anybody, others only themselves.',
      match: 'Criteria as JSON, as in a create. Cannot be combined with filters.',
    },
    answer: refTo('AvailabilityList'),
    refusals: ['forbidden', 'user_not_found', 'user_removed', 'store_full'],
  },
  'GET /api/sut/:id/outages': {
    id: 'readOutages',
    summary: 'Find when a SUT was offline',
    description: OUTAGES,
    answer: refTo('Outages'),
    refusals: ['sut_not_found', 'store_full'],
  },
  'GET /api/outages': {
    id: 'listOutages',
    summary: 'Find when up to 100 SUTs were offline',
    description: `${OUTAGES} SUTs that are not found are left out.`,
    answer: refTo('OutagesList'),
    refusals: ['store_full'],
    notes: { sut_id: 'Those of these SUTs, up to 100.' },
  },
}

export const sessionOperations: Operations = {
  'GET /api/session': {
    id: 'listSessions',
    summary: 'List sessions, newest first',
    description:
      'A session is a period in which a reservation has connections at one instance. While it is open, members known only at its end are null. Testers see their own.',
    answer: refTo('SessionList'),
    refusals: ['list_too_large', 'store_full'],
  },
}
