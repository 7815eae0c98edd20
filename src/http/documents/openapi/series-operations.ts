import type { Code } from '../../protocol/problem.ts'
import { refTo } from './answer-schemas.ts'
import { OF_BOOKING, OF_WINDOW } from './object-operations.ts'
import type { Operations } from './operation.ts'

export const seriesOperations: Operations = {
  'POST /api/sut_reservation_series/create': {
    id: 'createSeries',
    summary: 'Reserve a SUT again and again',
    description:
      'start_time and end_time are the first window, rrule is the value of an RRULE of RFC 5545, which repeats it on the wall clock of time_zone. All windows are reserved, or none. A conflict lists the reservations in the way, each with the start of the occurrence. Without COUNT and UNTIL, the rule goes to the horizon or to its 366th window.',
    answer: refTo('SeriesReservations'),
    isCreation: true,
    refusals: [
      ...(['not_your_reservation', 'sut_not_found', 'sut_retired', 'user_not_found'] as const),
      ...[...OF_BOOKING, ...OF_WINDOW],
      ...(['series_start_mismatch', 'series_too_long', 'series_too_short', 'series_overlaps'] as const),
    ],
  },
  'GET /api/sut_reservation_series': {
    id: 'listSeries',
    summary: 'List series, newest created first',
    answer: refTo('SeriesList'),
    refusals: ['store_full'],
  },
  'GET /api/sut_reservation_series/:id': {
    id: 'readSeries',
    summary: 'Read a series with its reservations',
    description: 'Its reservations are in order of their start, cancelled ones too, each with its state by now.',
    answer: refTo('Series'),
    refusals: ['series_not_found', 'store_full'],
  },
  'POST /api/sut_reservation_series/:id/cancel': {
    id: 'cancelSeries',
    summary: 'Cancel the rest of a series',
    description:
      'Cancels its reservations that have not begun, in one piece, and answers these. One that runs goes on: release it by itself.',
    answer: refTo('SeriesReservations'),
    refusals: ['not_your_reservation', 'series_not_found', 'store_full'],
  },
}

const OF_TARGET: readonly Code[] = ['sut_required', 'sut_ambiguous', 'sut_not_found', 'sut_retired', 'no_sut_matches']

export const requestOperations: Operations = {
  'POST /api/sut_request/create': {
    id: 'createRequest',
    summary: 'Reserve a SUT as soon as one is free',
    description:
      'Asks for one SUT, or for any that fits criteria, for duration seconds from when it is granted. It is granted in this answer if one is free for which nobody else waits. Otherwise it waits for wait seconds at most, a day unless given; 0 is now or never. Larger priorities go first, then earlier requests. Where keepalive is given, the request is passed over once nobody has asked for it for so many seconds, and expires after twice as many; the reservation is released unless it is kept alive.',
    answer: refTo('SutRequest'),
    isCreation: true,
    isKept: true,
    refusals: [
      ...OF_TARGET,
      ...(['not_your_request', 'priority_too_high', 'user_not_found', 'too_many_requests', 'no_sut_free'] as const),
      ...(['quota_exceeded', 'window_too_long'] as const),
    ],
  },
  'GET /api/sut_request': {
    id: 'listRequests',
    summary: 'List requests, newest first',
    answer: refTo('SutRequestList'),
    refusals: ['list_too_large', 'store_full'],
    notes: {
      status: 'Only those in this state.',
      user_id: 'Only those of this user.',
      sut_id: 'Only those that name this SUT, or whose criteria it fits.',
    },
  },
  'GET /api/sut_request/:id': {
    id: 'readRequest',
    summary: 'Read a request, or wait for its end',
    description:
      'While it waits, position is the number of those before it that share a SUT with it, waits_for says why it waits, and expected_at is when it is granted if nothing else happens; null if that cannot be said. With wait, it is answered when it does not wait any more, or then. If it was made with keepalive, each read by its user, or by who made it, keeps it alive.',
    answer: refTo('SutRequestRead'),
    isKept: true,
    refusals: ['request_not_found', 'store_full'],
    notes: { wait: 'Seconds to wait until the request does not wait any more, 0 by default.' },
  },
  'POST /api/sut_request/:id/withdraw': {
    id: 'withdrawRequest',
    summary: 'Withdraw a request',
    description: 'It waits no longer. One that has been withdrawn already is answered as it is.',
    answer: refTo('SutRequest'),
    refusals: ['not_your_request', 'request_not_found', 'request_granted', 'request_over'],
  },
  'POST /api/sut_request/:id/keepalive': {
    id: 'keepRequest',
    summary: 'Keep a request alive',
    description:
      'For a request made with keepalive, whose seconds then count anew. Recorded only when less than half of them are left, so it may be sent often. One that was passed over has its place again. An Idempotency-Key is ignored.',
    answer: refTo('SutRequest'),
    isKept: true,
    refusals: [
      ...(['not_your_request', 'request_not_found', 'request_granted', 'request_over', 'not_kept_alive'] as const),
      'too_many_requests',
    ],
  },
}
