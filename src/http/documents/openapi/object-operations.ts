import type { Code } from '../../protocol/problem.ts'
import { refTo } from './answer-schemas.ts'
import type { Operation } from './operation.ts'

const WINDOW: readonly Code[] = [
  'window_required',
  'window_ambiguous',
  'window_empty',
  'window_over',
  'window_too_long',
  'window_too_far',
  'window_in_the_past',
]
const OF_SUT: readonly Code[] = ['sut_not_found', 'sut_retired']

export const reservationOperations: Readonly<Record<string, Operation>> = {
  'POST /api/sut_reservation/create': {
    id: 'createReservation',
    tag: 'Reservations',
    summary: 'Reserve a SUT',
    description:
      'Either from start_time to end_time, or for duration seconds that begin start_in seconds from now. The window is widened to the quarter-hours of UTC; where a reservation was released in the first of them, it starts when that ended. A conflict names who has the SUT and the next free window of that length.',
    answer: refTo('Reservation'),
    isCreation: true,
    refusals: ['not_your_reservation', ...OF_SUT, 'user_not_found', 'sut_inactive', 'reservation_conflict', ...WINDOW],
  },
  'GET /api/sut_reservation': {
    id: 'listReservations',
    tag: 'Reservations',
    summary: 'List reservations, newest created first',
    answer: refTo('ReservationList'),
  },
  'GET /api/sut_reservation/:id': {
    id: 'readReservation',
    tag: 'Reservations',
    summary: 'Read a reservation',
    answer: refTo('Reservation'),
    refusals: ['reservation_not_found', 'reservation_cancelled'],
  },
  'POST /api/sut_reservation/:id/cancel': {
    id: 'cancelReservation',
    tag: 'Reservations',
    summary: 'Cancel a reservation, or release a running one',
    description:
      'One that has not begun is cancelled and its window is free. A running one ends now, and the rest of its window is free.',
    answer: refTo('Reservation'),
    refusals: ['not_your_reservation', 'reservation_not_found', 'reservation_over'],
  },
  'POST /api/sut_reservation/:id/extend': {
    id: 'extendReservation',
    tag: 'Reservations',
    summary: 'Extend a reservation',
    description: 'To a later end_time, or to duration seconds from its start. A conflict says how far it can reach.',
    answer: refTo('Reservation'),
    refusals: [
      'not_your_reservation',
      'reservation_not_found',
      'reservation_over',
      'reservation_cancelled',
      'reservation_conflict',
      'sut_retired',
      'sut_inactive',
      'end_not_later',
      ...WINDOW,
    ],
  },
}

export const sutOperations: Readonly<Record<string, Operation>> = {
  'POST /api/sut/create': {
    id: 'createSut',
    tag: 'SUTs',
    summary: 'Create a SUT',
    description: 'password and user_name are taken and never shown again, to anybody.',
    answer: refTo('Sut'),
    isCreation: true,
    isTagged: true,
    refusals: ['listen_ports_exhausted'],
  },
  'POST /api/sut/:id/update': {
    id: 'updateSut',
    tag: 'SUTs',
    summary: 'Change a SUT',
    description: 'Fields that are left out keep their values.',
    answer: refTo('Sut'),
    isTagged: true,
    refusals: OF_SUT,
  },
  'POST /api/sut/:id/tags': {
    id: 'tagSut',
    tag: 'SUTs',
    summary: 'Set and remove tags of a SUT',
    description: 'Names to values, or to null to remove one (RFC 7396). A SUT has 64 at most.',
    answer: refTo('Sut'),
    isTagged: true,
    refusals: OF_SUT,
  },
  'POST /api/sut/:id/retire': {
    id: 'retireSut',
    tag: 'SUTs',
    summary: 'Retire a SUT',
    description: 'It can be read for ever, and nothing else. Refused while a reservation of it is not over.',
    answer: refTo('Sut'),
    isTagged: true,
    refusals: ['sut_not_found', 'sut_reserved'],
  },
  'GET /api/sut': {
    id: 'listSuts',
    tag: 'SUTs',
    summary: 'List SUTs, newest created first',
    answer: refTo('SutList'),
  },
  'GET /api/sut/:id': {
    id: 'readSut',
    tag: 'SUTs',
    summary: 'Read a SUT',
    answer: refTo('Sut'),
    isTagged: true,
    refusals: ['sut_not_found'],
  },
  'GET /api/sut/:id/availability': {
    id: 'readAvailability',
    tag: 'SUTs',
    summary: 'Find the free windows of a SUT',
    answer: refTo('Availability'),
    refusals: OF_SUT,
  },
}

export const userOperations: Readonly<Record<string, Operation>> = {
  'GET /api/user': { id: 'listUsers', tag: 'Users', summary: 'List users, newest first', answer: refTo('UserList') },
  'GET /api/user/me': { id: 'readMe', tag: 'Users', summary: 'Read your own user', answer: refTo('User') },
}
