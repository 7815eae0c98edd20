import { refTo } from './answer-schemas.ts'
import type { Operations } from './operation.ts'

/** Operations on the log: its events, and proofs over it. */

const HISTORY_NOTES = {
  from: 'Begins with the first event recorded then or later.',
  to: 'Ends before the first event recorded then or later.',
  include: 'names adds username, the holder of the reservation that an event is about, and sutname, as they are now.',
}

export const historyOperations: Operations = {
  'GET /api/sut/:id/history': {
    id: 'readSutHistory',
    summary: 'Read the history of a SUT',
    description:
      'Events of the SUT, its port and its reservations, oldest first, each with the values it changed. Remains available after the SUT is retired.',
    answer: refTo('History'),
    refusals: ['sut_not_found', 'store_full'],
    notes: HISTORY_NOTES,
  },
  'GET /api/sut_reservation/:id/history': {
    id: 'readReservationHistory',
    summary: 'Read the history of a reservation',
    description:
      'Events of the reservation, oldest first, each with the values it changed. Remains available after cancellation.',
    answer: refTo('History'),
    refusals: ['reservation_not_found', 'not_your_reservation', 'store_full'],
    notes: HISTORY_NOTES,
  },
  'GET /api/user/:id/history': {
    id: 'readUserHistory',
    summary: 'Read the history of a user',
    description: 'Testers read their own only, also at /api/user/me/history.',
    answer: refTo('History'),
    refusals: ['user_not_found', 'forbidden', 'store_full'],
    notes: HISTORY_NOTES,
  },
  'GET /api/events': {
    id: 'readEvents',
    summary: 'Read or follow the events of the log',
    description:
      'A page as JSON, all events up to now as NDJSON, whose last line has the position if the transfer is complete, or all events and then live ones as Server-Sent Events. /asyncapi.json describes the streams.',
    answer: refTo('EventPage'),
    refusals: ['too_many_subscribers'],
    notes: {
      user_id: 'Only those of reservations held by this user, and those about the user.',
      order: 'Newest first, for pages. Then next is the before to go on with. Not with after.',
      before: 'With order=desc: the position before which to begin; by default the end of the log.',
      actor: 'Only what this user did, or berth, schedule, monitor, gateway, oidc or command-line.',
      from: 'Only events recorded from then on.',
      to: 'Only events recorded before.',
    },
  },
  'GET /api/changes': {
    id: 'readChanges',
    summary: 'Follow which objects change',
    description:
      'Server-Sent Events: `ready` with the position from which it follows, then `change` for each object that changed and may be read, one entry an object in 250 ms, and `reload` where there are too many to tell. /asyncapi.json describes them.',
    answer: { type: 'string' },
    refusals: ['too_many_subscribers'],
    notes: { after: 'The position after which to begin; from now on by default.' },
  },
}

export const proofOperations: Operations = {
  'GET /api/audit/checkpoint': {
    id: 'readCheckpoint',
    summary: 'Read the signed checkpoint',
    description: 'The head of the Merkle tree over the log, as a signed note (C2SP tlog-checkpoint).',
    answer: { type: 'string' },
  },
  'GET /api/audit/key': {
    id: 'readVerifierKeys',
    summary: "Read the verifiers' keys",
    description:
      'The keys that verify checkpoints, one a line, as signed notes have them: the one that signs now first.',
    answer: { type: 'string' },
  },
  'GET /api/audit/leaves': {
    id: 'readLeaves',
    summary: 'Read the leaves of the Merkle tree',
    description:
      'The events as they are stored, one a line, from a position on: what the leaf hashes of a checkpoint are made of. A page may be short; go on after as many lines as it has. An empty one is the end.',
    answer: { type: 'string' },
    notes: { from: 'The position of the first; by default 0.' },
  },
  'GET /api/audit/inclusion': {
    id: 'proveInclusion',
    summary: 'Prove that an event is in the log (RFC 6962)',
    answer: refTo('Inclusion'),
    refusals: ['event_not_found'],
  },
  'GET /api/audit/consistency': {
    id: 'proveConsistency',
    summary: 'Prove that the log has only grown between two sizes (RFC 6962)',
    answer: refTo('Consistency'),
    notes: { from: 'The earlier size.', to: 'The later size; by default the size of the log.' },
  },
}
