import { sendAgentMessage } from './agents/agents.ts'
import { documentRoutes } from './documents/document-routes.ts'
import type { Route } from './protocol/route.ts'
import { listSessions, readConnection } from './routes/access/connection.ts'
import { consoleRoutes } from './routes/access/console-ticket.ts'
import { auditRoutes } from './routes/audit.ts'
import { createReservation } from './routes/create-reservation.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { reservationHistory, sutHistory, userHistory } from './routes/history.ts'
import { loginRoutes } from './routes/login/login.ts'
import { singleSignOnRoutes } from './routes/login/single-sign-on.ts'
import { readMetrics } from './routes/metrics/metrics.ts'
import type { Parts } from './routes/parts.ts'
import { reportRoutes } from './routes/reports/reports.ts'
import { requestChanges, requestReads } from './routes/requests.ts'
import { reservationReads } from './routes/reservation-reads.ts'
import { reservationChanges } from './routes/reservations.ts'
import { seriesRoutes } from './routes/series.ts'
import { availabilityRoutes } from './routes/suts/availability.ts'
import { calendarRoutes } from './routes/suts/calendars.ts'
import { outageRoutes } from './routes/suts/outages.ts'
import { sutReads } from './routes/suts/sut-reads.ts'
import { sutChanges } from './routes/suts/suts.ts'
import { userChanges } from './routes/users/user-changes.ts'
import { userCreations } from './routes/users/user-creation.ts'
import { userReads } from './routes/users/user-reads.ts'
import { tokenRoutes } from './routes/users/user-tokens.ts'
import { webhookReads } from './routes/webhooks/webhook-reads.ts'
import { webhookChanges } from './routes/webhooks/webhooks.ts'

/** The whole API, one operation each. Their handlers get the parts of a service. */
export const routes: readonly Route<Parts>[] = [
  createReservation,
  ...reservationReads,
  reservationHistory,
  ...reservationChanges,
  readConnection,
  ...consoleRoutes,
  ...seriesRoutes,
  ...requestChanges,
  ...requestReads,
  ...sutChanges,
  ...sutReads,
  sutHistory,
  ...availabilityRoutes,
  ...outageRoutes,
  ...calendarRoutes,
  listSessions,
  ...reportRoutes,
  ...eventRoutes,
  ...webhookChanges,
  ...webhookReads,
  ...auditRoutes,
  ...userCreations,
  ...userChanges,
  ...tokenRoutes,
  ...userReads,
  userHistory,
  ...loginRoutes,
  ...singleSignOnRoutes,
  sendAgentMessage,
  readMetrics,
  ...documentRoutes,
  ...healthRoutes,
]
