import * as E from 'fp-ts/lib/Either.js'
import { extensionBody, noBody, reservationBody, sutCreationBody, sutUpdateBody, tagsBody } from './bodies.ts'
import type { Health } from './health.ts'
import { availabilityQuery, type Paging, pageQuery, reservationsQuery, sutsQuery } from './list-query.ts'
import { METRICS_MEDIA_TYPE } from './metrics.ts'
import { problemPage } from './problem-pages.ts'
import type { ReservationLists } from './reservation-lists.ts'
import type { ReservationHandlers } from './reservations.ts'
import { type Answering, ask, type Call, get, post, type Route } from './route.ts'
import type { SutLists } from './sut-lists.ts'
import type { SutHandlers } from './suts.ts'

export interface Handlers {
  readonly reservations: ReservationHandlers
  readonly reservationLists: ReservationLists
  readonly suts: SutHandlers
  readonly sutLists: SutLists
  readonly userList: (call: Call<unknown, Paging>) => Answering
  readonly health: Health
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>
}

const everyone = ['administrator', 'tester', 'auditor'] as const

/** The whole interface, one operation each. */
export const routes = ({
  reservations,
  reservationLists,
  suts,
  sutLists,
  userList,
  health,
  metrics,
}: Handlers): readonly Route[] => [
  post({
    path: '/api/sut_reservation/create',
    may: ['administrator', 'tester'],
    body: reservationBody,
    handle: reservations.create,
  }),
  ask({ path: '/api/sut_reservation', may: everyone, query: reservationsQuery, handle: reservationLists.list }),
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
  ask({ path: '/api/sut', may: everyone, query: sutsQuery, handle: sutLists.list }),
  get({ path: '/api/sut/:id', may: everyone, handle: suts.read }),
  ask({
    path: '/api/sut/:id/availability',
    may: everyone,
    query: availabilityQuery,
    handle: sutLists.availability,
  }),

  ask({ path: '/api/user', may: ['administrator', 'auditor'], query: pageQuery, handle: userList }),
  get({
    path: '/api/user/me',
    may: everyone,
    handle: async ({ user: { _id, name, role } }) =>
      E.right({ status: 200, body: JSON.stringify({ _id, name, role }) }),
  }),

  get({ path: '/problems/:code', may: everyone, mediaType: 'text/html; charset=utf-8', handle: problemPage }),
  get({
    path: '/metrics',
    may: ['administrator', 'auditor'],
    mediaType: METRICS_MEDIA_TYPE,
    isAlwaysOpen: true,
    handle: async () => E.right({ status: 200, body: await metrics() }),
  }),
  get({ path: '/health/live', may: 'anyone', handle: health.live }),
  get({ path: '/health/ready', may: 'anyone', handle: health.ready }),
]
