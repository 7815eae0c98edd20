import * as E from 'fp-ts/lib/Either.js'
import { asOfRoles } from './codecs/as-of.ts'
import { type AvailableQuery, availableQuery } from './codecs/availability.ts'
import {
  extensionBody,
  monitoringBody,
  reservationBody,
  shorteningBody,
  sutCreationBody,
  sutRequestBody,
  sutUpdateBody,
  tagsBody,
  withoutBody,
} from './codecs/bodies.ts'
import { type ChangesQuery, changesQuery, type EventsQuery, eventsQuery } from './codecs/events.ts'
import { sutImportBody } from './codecs/imports.ts'
import { historyQuery, seriesQuery, sessionsQuery, sutRequestsQuery, waitQuery } from './codecs/lists.ts'
import { outagesOfOneQuery, outagesQuery } from './codecs/outages.ts'
import { reservationQuery, reservationsQuery } from './codecs/reservations.ts'
import { seriesBody } from './codecs/series.ts'
import { availabilityQuery, type SutQuery, sutQuery, sutsQuery } from './codecs/suts.ts'
import { documentRoutes } from './documents/document-routes.ts'
import { webRoutes } from './documents/web-routes.ts'
import { type Call, get, getWithQuery, post, type Route, type RouteResult } from './protocol/route.ts'
import { CSV } from './response/csv-lists.ts'
import { type AccessHandlers, accessRoutes } from './routes/access/access-routes.ts'
import { consistencyQuery, inclusionQuery, LEAVES_TYPE, leavesQuery, type makeAuditHandlers } from './routes/audit.ts'
import { STREAM_MEDIA_TYPES } from './routes/events.ts'
import { type Health, healthRoutes } from './routes/health.ts'
import type { makeHistoryHandlers } from './routes/history.ts'
import type { LoginHandlers } from './routes/login/login.ts'
import { loginRoutes } from './routes/login/login-routes.ts'
import type { SingleSignOnHandlers } from './routes/login/single-sign-on.ts'
import { METRICS_MEDIA_TYPE } from './routes/metrics/metrics.ts'
import type { makeCheckHandler } from './routes/probes/checks.ts'
import type { makeRequestReads } from './routes/requests/request-reads.ts'
import type { makeRequestHandlers } from './routes/requests/requests.ts'
import type { makeReservationReads } from './routes/reservation-reads.ts'
import type { makeReservationHandlers } from './routes/reservations.ts'
import type { makeSeriesHandlers } from './routes/series/series.ts'
import type { makeSessionListHandler } from './routes/session-list.ts'
import { EVENT_STREAM } from './routes/stream-start.ts'
import type { makeOutageHandlers } from './routes/suts/outages.ts'
import type { makeSutLists } from './routes/suts/sut-lists.ts'
import type { makeSutHandlers } from './routes/suts/suts.ts'
import { type UserHandlers, userRoutes } from './routes/users/user-routes.ts'

export interface Handlers {
  readonly reservations: ReturnType<typeof makeReservationHandlers>
  readonly series: ReturnType<typeof makeSeriesHandlers>
  readonly requests: ReturnType<typeof makeRequestHandlers>
  readonly requestReads: ReturnType<typeof makeRequestReads>
  readonly access: AccessHandlers
  readonly reservationReads: ReturnType<typeof makeReservationReads>
  readonly suts: ReturnType<typeof makeSutHandlers>
  readonly sutRead: (call: Call<unknown, SutQuery>) => RouteResult
  readonly sutLists: ReturnType<typeof makeSutLists>
  readonly available: (call: Call<unknown, AvailableQuery>) => RouteResult
  readonly outages: ReturnType<typeof makeOutageHandlers>
  readonly check: ReturnType<typeof makeCheckHandler>
  readonly sessionList: ReturnType<typeof makeSessionListHandler>
  readonly histories: ReturnType<typeof makeHistoryHandlers>
  readonly audit: ReturnType<typeof makeAuditHandlers>
  readonly users: UserHandlers
  readonly logins: LoginHandlers
  /** Whether the page offers single sign-on. */
  readonly hasSingleSignOn: boolean
  readonly singleSignOn: SingleSignOnHandlers
  readonly events: (call: Call<unknown, EventsQuery>) => RouteResult
  readonly changes: (call: Call<unknown, ChangesQuery>) => RouteResult
  readonly health: Health
  /** The table that the documents describe: that of these routes. */
  readonly documented: () => readonly Route[]
  /** In the Prometheus text format. */
  readonly metrics: () => Promise<string>
}

const everyone = ['administrator', 'tester', 'auditor'] as const
const administrators = ['administrator'] as const
/** Testers for themselves only, which commands and handlers check. */
const holders = ['administrator', 'tester'] as const
/** The log, users and metrics concern everyone's work. */
const overseers = ['administrator', 'auditor'] as const

/** Changes a SUT's record, unless it has changed since. */
const sutChange = { roles: administrators, isConditional: true } as const
/** Reads of a document or list, also as of the past. */
const asOfRead = { roles: everyone, parameterRoles: asOfRoles } as const

/** The whole API, one operation each. */
export const routes = (on: Handlers): readonly Route[] => [
  post({ path: '/api/sut_reservation/create', roles: holders, body: reservationBody, handle: on.reservations.create }),
  getWithQuery({
    path: '/api/sut_reservation',
    ...asOfRead,
    otherMediaTypes: [CSV],
    query: reservationsQuery,
    handle: on.reservationReads.list,
  }),
  getWithQuery({
    path: '/api/sut_reservation/:id',
    ...asOfRead,
    query: reservationQuery,
    handle: on.reservationReads.read,
  }),
  getWithQuery({
    path: '/api/sut_reservation/:id/history',
    roles: everyone,
    query: historyQuery,
    handle: on.histories.reservation,
  }),
  post({ path: '/api/sut_reservation/:id/cancel', roles: holders, ...withoutBody, handle: on.reservations.cancel }),
  post({
    path: '/api/sut_reservation/:id/extend',
    roles: holders,
    body: extensionBody,
    handle: on.reservations.extend,
  }),
  post({
    path: '/api/sut_reservation/:id/shorten',
    roles: holders,
    body: shorteningBody,
    handle: on.reservations.shorten,
  }),
  post({ path: '/api/sut_reservation/:id/update', roles: holders, ...withoutBody, handle: on.reservations.update }),
  post({
    path: '/api/sut_reservation/:id/keepalive',
    roles: holders,
    ...withoutBody,
    ignoresRetryKey: true,
    handle: on.reservations.keepalive,
  }),
  ...accessRoutes(on.access),

  post({
    path: '/api/sut_reservation_series/create',
    roles: holders,
    answersRepeats: true,
    body: seriesBody,
    handle: on.series.create,
  }),
  getWithQuery({ path: '/api/sut_reservation_series', roles: everyone, query: seriesQuery, handle: on.series.list }),
  get({ path: '/api/sut_reservation_series/:id', roles: everyone, handle: on.series.read }),
  post({
    path: '/api/sut_reservation_series/:id/cancel',
    roles: holders,
    answersRepeats: true,
    ...withoutBody,
    handle: on.series.cancel,
  }),

  post({
    path: '/api/sut_request/create',
    roles: holders,
    body: sutRequestBody,
    handle: on.requests.create,
  }),
  getWithQuery({
    path: '/api/sut_request',
    roles: everyone,
    otherMediaTypes: [CSV],
    query: sutRequestsQuery,
    handle: on.requestReads.list,
  }),
  getWithQuery({ path: '/api/sut_request/:id', roles: everyone, query: waitQuery, handle: on.requestReads.read }),
  post({
    path: '/api/sut_request/:id/keepalive',
    roles: holders,
    ...withoutBody,
    ignoresRetryKey: true,
    handle: on.requests.keepalive,
  }),
  post({
    path: '/api/sut_request/:id/withdraw',
    roles: holders,
    ...withoutBody,
    handle: on.requests.withdraw,
  }),

  post({ path: '/api/sut/create', roles: administrators, body: sutCreationBody, handle: on.suts.create }),
  post({
    path: '/api/sut/import',
    roles: administrators,
    answersRepeats: true,
    body: sutImportBody,
    handle: on.suts.import,
  }),
  post({ path: '/api/sut/:id/update', ...sutChange, body: sutUpdateBody, handle: on.suts.update }),
  post({ path: '/api/sut/:id/tags', ...sutChange, body: tagsBody, handle: on.suts.tag }),
  post({ path: '/api/sut/:id/retire', ...sutChange, ...withoutBody, handle: on.suts.retire }),
  post({ path: '/api/sut/:id/monitoring', ...sutChange, body: monitoringBody, handle: on.suts.monitor }),
  post({ path: '/api/sut/:id/check', roles: administrators, ...withoutBody, handle: on.check }),
  getWithQuery({
    path: '/api/sut',
    ...asOfRead,
    otherMediaTypes: [CSV],
    query: sutsQuery,
    handle: on.sutLists.list,
  }),
  getWithQuery({
    path: '/api/sut/:id',
    roles: everyone,
    parameterRoles: asOfRoles,
    query: sutQuery,
    handle: on.sutRead,
  }),
  getWithQuery({ path: '/api/sut/:id/history', roles: overseers, query: historyQuery, handle: on.histories.sut }),
  getWithQuery({
    path: '/api/sut/:id/availability',
    roles: everyone,
    query: availabilityQuery,
    handle: on.sutLists.availability,
  }),
  getWithQuery({ path: '/api/availability', roles: everyone, query: availableQuery, handle: on.available }),
  getWithQuery({ path: '/api/sut/:id/outages', roles: everyone, query: outagesOfOneQuery, handle: on.outages.ofOne }),
  getWithQuery({
    path: '/api/outages',
    roles: everyone,
    query: outagesQuery,
    handle: on.outages.list,
  }),
  getWithQuery({
    path: '/api/session',
    roles: everyone,
    otherMediaTypes: [CSV],
    query: sessionsQuery,
    handle: on.sessionList,
  }),

  getWithQuery({
    path: '/api/events',
    roles: overseers,
    otherMediaTypes: STREAM_MEDIA_TYPES,
    query: eventsQuery,
    isResumable: true,
    heldMediaType: EVENT_STREAM,
    handle: on.events,
  }),
  getWithQuery({
    path: '/api/changes',
    roles: everyone,
    mediaType: EVENT_STREAM,
    query: changesQuery,
    isResumable: true,
    heldMediaType: EVENT_STREAM,
    handle: on.changes,
  }),

  get({
    path: '/api/audit/checkpoint',
    roles: overseers,
    mediaType: 'text/plain; charset=utf-8',
    handle: on.audit.checkpoint,
  }),
  get({
    path: '/api/audit/key',
    roles: everyone,
    mediaType: 'text/plain; charset=utf-8',
    handle: on.audit.key,
  }),
  getWithQuery({
    path: '/api/audit/leaves',
    roles: overseers,
    mediaType: LEAVES_TYPE,
    query: leavesQuery,
    handle: on.audit.leaves,
  }),
  getWithQuery({ path: '/api/audit/inclusion', roles: overseers, query: inclusionQuery, handle: on.audit.inclusion }),
  getWithQuery({
    path: '/api/audit/consistency',
    roles: overseers,
    query: consistencyQuery,
    handle: on.audit.consistency,
  }),

  ...userRoutes(on.users, on.histories.user),
  ...loginRoutes(on.logins, on.singleSignOn),

  get({
    path: '/metrics',
    roles: overseers,
    tokenScope: 'metrics',
    mediaType: METRICS_MEDIA_TYPE,
    isAlwaysOpen: true,
    handle: async () => E.right({ status: 200, body: await on.metrics() }),
  }),
  ...documentRoutes(on.documented),
  ...webRoutes(on.hasSingleSignOn),

  ...healthRoutes(on.health),
]
