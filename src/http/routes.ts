import * as E from 'fp-ts/lib/Either.js'
import { extensionBody, noBody, reservationBody, sutCreationBody, sutUpdateBody, tagsBody } from './bodies.ts'
import { refusal } from './problem.ts'
import type { ReservationHandlers } from './reservations.ts'
import { get, post, type Route } from './route.ts'
import type { SutHandlers } from './suts.ts'

export interface Handlers {
  readonly reservations: ReservationHandlers
  readonly suts: SutHandlers
  /** Whether requests are answered at the moment. */
  readonly isReady: () => boolean
}

const everyone = ['administrator', 'tester', 'auditor'] as const

/** The whole interface, one operation each. */
export const routes = ({ reservations, suts, isReady }: Handlers): readonly Route[] => [
  post({
    path: '/api/sut_reservation/create',
    may: ['administrator', 'tester'],
    body: reservationBody,
    handle: reservations.create,
  }),
  get({ path: '/api/sut_reservation/:id', may: everyone, handle: reservations.read }),
  post({
    path: '/api/sut_reservation/:id/cancel',
    may: ['administrator', 'tester'],
    body: noBody,
    isBodyOptional: true,
    handle: reservations.cancel,
  }),
  post({
    path: '/api/sut_reservation/:id/extend',
    may: ['administrator', 'tester'],
    body: extensionBody,
    handle: reservations.extend,
  }),

  post({ path: '/api/sut/create', may: ['administrator'], body: sutCreationBody, handle: suts.create }),
  post({
    path: '/api/sut/:id/update',
    may: ['administrator'],
    body: sutUpdateBody,
    isConditional: true,
    handle: suts.update,
  }),
  post({ path: '/api/sut/:id/tags', may: ['administrator'], body: tagsBody, isConditional: true, handle: suts.tag }),
  post({
    path: '/api/sut/:id/retire',
    may: ['administrator'],
    body: noBody,
    isBodyOptional: true,
    isConditional: true,
    handle: suts.retire,
  }),
  get({ path: '/api/sut/:id', may: everyone, handle: suts.read }),

  get({
    path: '/api/user/me',
    may: everyone,
    handle: async ({ user: { _id, name, role } }) =>
      E.right({ status: 200, body: JSON.stringify({ _id, name, role }) }),
  }),

  get({ path: '/health/live', may: 'anyone', handle: async () => E.right({ status: 200, body: '{"status":"live"}' }) }),
  get({
    path: '/health/ready',
    may: 'anyone',
    handle: async () =>
      isReady()
        ? E.right({ status: 200, body: '{"status":"ready"}' })
        : E.left(refusal('unavailable', 'The service is still reading its log, or cannot go on.')),
  }),
]
