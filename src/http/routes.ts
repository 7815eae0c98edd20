import { type DocumentParts, documentRoutes } from './documents/document-routes.ts'
import { type WebParts, webRoutes } from './documents/web-routes.ts'
import { bind, type Declaration } from './protocol/declaration.ts'
import type { Route } from './protocol/route.ts'
import { type ConnectionDependencies, readConnection } from './routes/access/connection.ts'
import { type ConsoleParts, consoleRoutes } from './routes/access/console-ticket.ts'
import { type AuditDependencies, auditRoutes } from './routes/audit.ts'
import { type AvailableDependencies, findAvailability } from './routes/availability/available.ts'
import { type ChangesDependencies, readChanges } from './routes/changes.ts'
import { createReservation, type ReservationDependencies } from './routes/create-reservation.ts'
import { type EventsDependencies, readEvents } from './routes/events.ts'
import { type HealthParts, healthRoutes } from './routes/health.ts'
import { type HistoryDependencies, reservationHistory, sutHistory, userHistory } from './routes/history.ts'
import { type LoginDependencies, login, sessionRoutes } from './routes/login/login.ts'
import { type SingleSignOnParts, singleSignOnRoutes } from './routes/login/single-sign-on.ts'
import { type MetricsParts, readMetrics } from './routes/metrics/metrics.ts'
import { type CheckDependencies, checkSut } from './routes/probes/checks.ts'
import { type RequestReadsDependencies, requestReads } from './routes/requests/request-reads.ts'
import { createRequest, type RequestDependencies, requestChanges } from './routes/requests/requests.ts'
import { type ReservationReadsDependencies, reservationReads } from './routes/reservation-reads.ts'
import { reservationChanges } from './routes/reservations.ts'
import { type SeriesDependencies, seriesRoutes } from './routes/series/series.ts'
import { listSessions, type SessionListDependencies } from './routes/session-list.ts'
import { type OutageDependencies, outageRoutes } from './routes/suts/outages.ts'
import { listSuts, readAvailability, type SutListDependencies } from './routes/suts/sut-lists.ts'
import { readSut, type SutReadDependencies } from './routes/suts/sut-read.ts'
import { type SutDependencies, sutChanges } from './routes/suts/suts.ts'
import { createUser, removedUserChanges, type UserDependencies, userChanges } from './routes/users/user-changes.ts'
import { importUsers, type UserImportDependencies } from './routes/users/user-import.ts'
import { type UserReadDependencies, userReads } from './routes/users/user-reads.ts'
import { type RemovalDependencies, removeUser } from './routes/users/user-removal.ts'
import { type TokenDependencies, tokenRoutes } from './routes/users/user-tokens.ts'

/** What the handlers of all routes are made of. */
export type RouteParts = ReservationDependencies &
  ReservationReadsDependencies &
  RequestReadsDependencies &
  ConnectionDependencies &
  ConsoleParts &
  SeriesDependencies &
  RequestDependencies &
  SutDependencies &
  CheckDependencies &
  SutListDependencies &
  SutReadDependencies &
  AvailableDependencies &
  OutageDependencies &
  SessionListDependencies &
  HistoryDependencies &
  EventsDependencies &
  ChangesDependencies &
  AuditDependencies &
  UserDependencies &
  UserImportDependencies &
  RemovalDependencies &
  UserReadDependencies &
  TokenDependencies &
  LoginDependencies &
  SingleSignOnParts &
  MetricsParts &
  HealthParts &
  WebParts

/** The whole API, one operation each. */
export const declarations: readonly Declaration<RouteParts & DocumentParts>[] = [
  createReservation,
  ...reservationReads,
  reservationHistory,
  ...reservationChanges,
  readConnection,
  ...consoleRoutes,
  ...seriesRoutes,
  createRequest,
  ...requestReads,
  ...requestChanges,
  ...sutChanges,
  checkSut,
  listSuts,
  readSut,
  sutHistory,
  readAvailability,
  findAvailability,
  ...outageRoutes,
  listSessions,
  readEvents,
  readChanges,
  ...auditRoutes,
  createUser,
  importUsers,
  ...userChanges,
  removeUser,
  ...removedUserChanges,
  ...tokenRoutes,
  ...userReads,
  userHistory,
  login,
  ...singleSignOnRoutes,
  ...sessionRoutes,
  readMetrics,
  ...documentRoutes,
  ...webRoutes,
  ...healthRoutes,
]

/** The routes of a service that has these parts. */
export const routes = (parts: RouteParts): readonly Route[] =>
  bind(declarations, { ...parts, operations: declarations })
