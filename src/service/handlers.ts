import { openSingleSignOn } from '../accounts/open-single-sign-on.ts'
import type { Runner } from '../commands/order.ts'
import type { Quotas } from '../commands/quotas.ts'
import type { EndBindings, EndReservations } from '../commands/users/end-reservations.ts'
import { eraseUser } from '../commands/users/erase-user.ts'
import { makeRenewEpoch } from '../commands/users/renew-epoch.ts'
import type { Config } from '../config/config.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import type { Changes } from '../feed/changes/changes.ts'
import type { Feed } from '../feed/feed.ts'
import { makeDocuments } from '../http/documents/documents.ts'
import { readWebFiles } from '../http/documents/web/web-files.ts'
import type { Route, Upgrade } from '../http/protocol/route.ts'
import { type CsvLimits, makeCsvLists } from '../http/response/csv-lists.ts'
import type { Objects } from '../http/response/objects.ts'
import { makeUserNames } from '../http/response/user-names.ts'
import { makeConnectionHandler } from '../http/routes/access/connection.ts'
import { type CheckConsole, makeConsoleTicketHandler } from '../http/routes/access/console-ticket.ts'
import { makeAsOfReads } from '../http/routes/as-of-reads.ts'
import { makeAuditHandlers } from '../http/routes/audit.ts'
import { makeChangesHandler } from '../http/routes/changes.ts'
import { makeEvents } from '../http/routes/events.ts'
import { isReady, makeHealth } from '../http/routes/health.ts'
import { makeHistoryHandlers } from '../http/routes/history.ts'
import { makeLoginHandlers } from '../http/routes/login/login.ts'
import { makeOutageHandlers } from '../http/routes/outages.ts'
import { type CheckDependencies, makeCheckHandler } from '../http/routes/probes/checks.ts'
import { makeReservationReads } from '../http/routes/reservation-reads.ts'
import { makeReservationHandlers } from '../http/routes/reservations.ts'
import { makeSessionList } from '../http/routes/session-list.ts'
import { makeSutImport } from '../http/routes/sut-import.ts'
import { makeSutLists } from '../http/routes/sut-lists.ts'
import { makeSutRead } from '../http/routes/sut-read.ts'
import { makeSutHandlers } from '../http/routes/suts.ts'
import { makeUserHandlers } from '../http/routes/users/user-handlers.ts'
import type { Handlers } from '../http/routes.ts'
import type { LoginSessions } from '../users/login-sessions.ts'
import type { Parts } from './parts.ts'
import type { World } from './world.ts'

export interface HandlersOptions extends Pick<CheckDependencies, 'check' | 'sinceBoot'> {
  readonly config: Config
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly randomBytes: (size: number) => Uint8Array
  readonly parts: Parts
  readonly runner: Runner
  readonly feed: Feed
  readonly changes: Changes
  readonly sessions: LoginSessions
  readonly log: World['log']
  readonly objects: Objects
  readonly quotas: Quotas
  readonly endReservations: EndReservations
  readonly endBindings: EndBindings
  /** Whether this instance forwards a SUT. */
  readonly isOurs: (sutId: string) => boolean
  readonly checkConsole: CheckConsole
  readonly consoles: Upgrade
  readonly csvLimits: Partial<CsvLimits> | undefined
  /** The route table that the handlers belong to, for documents about it. */
  readonly page: () => readonly Route[]
}

export const makeHandlers = (options: HandlersOptions): Handlers => {
  const { config, clock, sinceBoot, randomHex, randomBytes, parts, runner, check, feed, changes, page } = options
  const { sessions, quotas, objects, endReservations, endBindings, isOurs, checkConsole, consoles } = options
  const { store, views, users, vault, clientPseudonyms, consoleTickets, forwarded, signer, metrics, condition } = parts
  const { publicHost, host: gatewayHost } = config.gateway
  const nameOf = makeUserNames(users)
  const streams = {
    ...{ views, head: store.head },
    isOpen: () => isReady({ ...condition(), service: 'ok', gateway: 'ok' }),
  }
  const asOf = makeAsOfReads({ objects, views, store, clock })
  const csv = makeCsvLists({ views, nameOf, limits: options.csvLimits })
  return {
    reservations: makeReservationHandlers({ runner, objects, users, quotas, limits: config.limits, randomHex }),
    access: {
      connection: makeConnectionHandler({
        ...{ objects, runner, views, clientPseudonyms, forwarded, isOurs, clock },
        gatewayHost: publicHost ?? gatewayHost,
      }),
      consoleTicket: makeConsoleTicketHandler({ check: checkConsole, tickets: consoleTickets, clock }),
      console: consoles,
    },
    reservationReads: makeReservationReads({ objects, asOf, nameOf, csv, clock }),
    suts: makeSutHandlers({ runner, objects, vault, range: config.listenPorts, randomHex }),
    sutImport: makeSutImport({ runner, objects, vault, range: config.listenPorts, randomHex, store, clock }),
    sutRead: makeSutRead({ objects, asOf, views, vault }),
    sutLists: makeSutLists({ objects, asOf, csv, clock, horizon: config.limits.horizon }),
    outages: makeOutageHandlers({ objects, clock }),
    check: makeCheckHandler({ objects, check, sinceBoot }),
    sessionList: makeSessionList(objects, nameOf, csv),
    histories: makeHistoryHandlers({
      objects,
      views,
      store,
      origin: config.origin,
      nameOf: (id) => users.member(id)?.name,
    }),
    audit: makeAuditHandlers({ objects, views, store, signer }),
    users: makeUserHandlers({
      ...{ runner, objects, users, vault, store, clock, randomHex, randomBytes, endReservations, endBindings },
      quotaDefault: config.quotaDefault,
      eraseSecrets: (id) => eraseUser(store, id),
    }),
    singleSignOn: openSingleSignOn({ config, world: options, randomHex, parts, sessions }),
    logins: makeLoginHandlers({
      sessions,
      runner,
      users,
      views,
      renewEpoch: makeRenewEpoch({ runner, vault, randomHex }),
    }),
    hasSingleSignOn: config.oidc !== undefined,
    events: makeEvents({ feed, ...streams }),
    changes: makeChangesHandler({ changes, ...streams, digest: async () => (await readWebFiles()).digest }),
    health: makeHealth(condition),
    documents: makeDocuments(page),
    metrics: metrics.text,
  }
}
