import { refTo } from './answer-schemas.ts'
import type { Operation } from './operation.ts'

/** Operations on the log. */

export const logOperations: Readonly<Record<string, Operation>> = {
  'GET /api/sut/:id/history': {
    id: 'readSutHistory',
    tag: 'History and feed',
    summary: 'Read the history of a SUT, its port and its reservations',
    description:
      'Oldest first. Each event has the old and new values of what it changed. Also works after retiring and cancelling.',
    answer: refTo('History'),
    refusals: ['sut_not_found'],
  },
  'GET /api/sut_reservation/:id/history': {
    id: 'readReservationHistory',
    tag: 'History and feed',
    summary: 'Read the history of a reservation',
    description: 'Oldest first. Each event has the old and new values of what it changed. Also works after cancelling.',
    answer: refTo('History'),
    refusals: ['reservation_not_found', 'not_your_reservation'],
  },
  'GET /api/events': {
    id: 'readEvents',
    tag: 'History and feed',
    summary: 'Read or follow events, from the beginning or from a position',
    description:
      'One page as JSON, everything up to now as lines of JSON, or everything and then new events as Server-Sent Events, which /asyncapi.json describes.',
    answer: refTo('EventPage'),
    refusals: ['too_many_subscribers'],
  },
  'GET /api/audit/checkpoint': {
    id: 'readCheckpoint',
    tag: 'Proof',
    summary: 'Get a signed checkpoint of the log',
    description: 'The size and the root of the Merkle tree over the log, as a signed note (C2SP tlog-checkpoint).',
    answer: { type: 'string' },
  },
  'GET /api/audit/inclusion': {
    id: 'proveInclusion',
    tag: 'Proof',
    summary: 'Prove that an event is in the log (RFC 6962)',
    answer: refTo('Inclusion'),
    refusals: ['event_not_found'],
  },
  'GET /api/audit/consistency': {
    id: 'proveConsistency',
    tag: 'Proof',
    summary: 'Prove that the log has only grown between two sizes (RFC 6962)',
    answer: refTo('Consistency'),
    notes: { from: 'The earlier size.', to: 'The later size; that of the log unless given.' },
  },
}
