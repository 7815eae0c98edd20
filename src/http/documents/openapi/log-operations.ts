import { refTo } from './answer-schemas.ts'
import type { Operation } from './operation.ts'

/** Operations on the log. */

export const logOperations: Readonly<Record<string, Operation>> = {
  'GET /api/sut/:id/history': {
    id: 'readSutHistory',
    tag: 'History and feed',
    summary: 'What happened to a SUT, its port and its reservations, oldest first',
    description: 'Beside each event stands what it changed from what to what. It outlives retiring and cancelling.',
    answer: refTo('History'),
    refusals: ['sut_not_found'],
  },
  'GET /api/sut_reservation/:id/history': {
    id: 'readReservationHistory',
    tag: 'History and feed',
    summary: 'What happened to a reservation, oldest first',
    description: 'Beside each event stands what it changed from what to what. It outlives cancelling.',
    answer: refTo('History'),
    refusals: ['reservation_not_found', 'not_your_reservation'],
  },
  'GET /api/events': {
    id: 'readEvents',
    tag: 'History and feed',
    summary: 'What happened, from the beginning or from a place on',
    description:
      'One page as JSON, everything up to now as lines of JSON, or everything and then what comes as Server-Sent Events, which /asyncapi.json describes.',
    answer: refTo('EventPage'),
    refusals: ['too_many_subscribers'],
  },
  'GET /api/audit/checkpoint': {
    id: 'readCheckpoint',
    tag: 'Proof',
    summary: 'The head of the tree over the log, signed',
    description: 'A signed note (C2SP tlog-checkpoint).',
    answer: { type: 'string' },
  },
  'GET /api/audit/inclusion': {
    id: 'proveInclusion',
    tag: 'Proof',
    summary: 'That an event is in the log (RFC 6962)',
    answer: refTo('Inclusion'),
    refusals: ['event_not_found'],
  },
  'GET /api/audit/consistency': {
    id: 'proveConsistency',
    tag: 'Proof',
    summary: 'That the log at one size is the beginning of the log at another (RFC 6962)',
    answer: refTo('Consistency'),
    notes: { from: 'The earlier size.', to: 'The later size; that of the log unless given.' },
  },
}
