import type { IncomingMessage } from 'node:http'
import type { Either } from 'fp-ts/lib/Either.js'
import type { LRUCache } from 'lru-cache'
import type { Signer } from '../../audit/signed-note.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import type { Quotas } from '../../commands/quotas.ts'
import type { makeChangeRequest } from '../../commands/requests/change-request.ts'
import type { makeCreateMatched } from '../../commands/requests/create-matched.ts'
import type { makeMakeRequest } from '../../commands/requests/make-request.ts'
import type { openSeriesWindows } from '../../commands/series/windows.ts'
import type { EndBindings, FinishRemoval } from '../../commands/users/removal.ts'
import type { Quota } from '../../domain/events/user.ts'
import type { Failure } from '../../domain/failure.ts'
import type { PortRange } from '../../domain/listen-port/decide.ts'
import type { ProbeResult } from '../../domain/monitoring/decide.ts'
import type { WindowLimits } from '../../domain/reservation/window-limits.ts'
import type { RoleMapping } from '../../domain/user/role-mapping.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { User } from '../../domain/user/user.ts'
import type { RandomHex } from '../../domain/values/ids.ts'
import type { Clock, SinceBoot, UnixMilliseconds } from '../../domain/values/units.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Changes } from '../../feed/changes/changes.ts'
import type { Feed } from '../../feed/feed.ts'
import type { ForwardedReservations } from '../../processes/forwarded.ts'
import type { makeUnused } from '../../processes/keeping/unused.ts'
import type { Webhooks } from '../../processes/webhooks/webhooks.ts'
import type { Matching } from '../../read-models/matching/matching.ts'
import type { Endings } from '../../read-models/requests/endings.ts'
import type { Explained, Reader } from '../../read-models/requests/explain.ts'
import type { Views } from '../../read-models/views.ts'
import type { LoginSessions } from '../../users/login-sessions.ts'
import type { Provider, SignInChecks } from '../../users/oidc/provider.ts'
import type { Users } from '../../users/users.ts'
import type { ClientPseudonyms } from '../../vault/derived/client-pseudonyms.ts'
import type { Sealer } from '../../vault/derived/sealer.ts'
import type { Vault } from '../../vault/vault.ts'
import type { openAgents } from '../agents/agents.ts'
import type { Gate } from '../authentication/gate.ts'
import type { AttachClient } from '../console/bridge.ts'
import type { ConsoleTicket, makeConsoles } from '../console/consoles.ts'
import type { UsedTickets } from '../console/used-tickets.ts'
import type { CsvLists } from '../response/csv-lists.ts'
import type { Objects, StoredResponse } from '../response/objects.ts'
import type { TakeSendingPlace } from '../response/sending.ts'
import type { UserNames } from '../response/visibility.ts'
import type { HealthCondition } from './health.ts'

/** What handlers of requests are made of. Each takes what it needs. */
export interface Parts {
  readonly runner: Runner
  readonly objects: Objects
  readonly views: Views
  readonly store: EventStore
  readonly users: Users
  readonly vault: Vault
  readonly nameOf: UserNames
  readonly csv: CsvLists
  readonly sending: TakeSendingPlace
  readonly clock: Clock
  readonly sinceBoot: SinceBoot
  readonly randomHex: RandomHex
  readonly randomBytes: (size: number) => Uint8Array

  // Reservations, and requests that wait.
  readonly quotas: Quotas
  readonly limits: WindowLimits
  readonly createMatched: ReturnType<typeof makeCreateMatched>
  /** The SUTs that are not retired, in memory. @throws StoreUnavailable if SUTs cannot be compared now */
  readonly suts: Matching['suts']
  readonly repeated: StoredResponse
  readonly seriesWindows: Pick<ReturnType<typeof openSeriesWindows>, 'find'>
  readonly makeRequest: ReturnType<typeof makeMakeRequest>
  readonly changeRequest: ReturnType<typeof makeChangeRequest>
  readonly endings: Pick<Endings, 'wait'>
  /** Tells of a request whether nobody has asked for it for its `keepalive`. @throws StoreUnavailable */
  readonly passedOver: () => Promise<(id: string) => boolean>
  /** Undefined if the request does not wait. @throws StoreUnavailable if that cannot be known now */
  readonly explain: (id: string, reader: Reader) => Promise<Explained | undefined>

  // Machines, and how people reach them.
  readonly range: PortRange
  /** Probes a SUT now. The result counts like any other. When this resolves, documents show it. */
  readonly checkSut: (sutId: string) => Promise<Either<Failure, ProbeResult>>
  /** When SUTs were last checked, in milliseconds since boot. */
  readonly lastChecks: LRUCache<string, number>
  readonly forwarded: Pick<ForwardedReservations, 'has' | 'waitUntilOpen' | 'openSince' | 'connections' | 'lastError'>
  /** Whether this instance forwards a SUT. */
  readonly isOurs: (sutId: string) => boolean
  /** The tags of the SUTs that this instance forwards; undefined if none. */
  readonly forwardedTags: Scope | undefined
  /** The host that clients connect to. A wildcard address means the host of the request. */
  readonly gatewayHost: string
  readonly clientPseudonyms: Pick<ClientPseudonyms, 'matches' | 'isKnown'>
  /** When a reservation is released unless somebody connects; undefined if it is not. Times in Unix milliseconds. */
  readonly unusedDue: ReturnType<typeof makeUnused>['dueOf']
  readonly consoleTickets: Sealer<ConsoleTicket>
  readonly consoles: ReturnType<typeof makeConsoles>
  readonly attach: AttachClient
  /** The user of a ticket, if it may hold reservations and its access has not ended since. */
  readonly ticketHolder: (ticket: ConsoleTicket) => Promise<User | undefined>

  // The log.
  /** Its name. */
  readonly origin: string
  readonly signer: Signer
  /** The verifiers' keys, one a line. They are replaced while no service runs. */
  readonly verifierKeys: () => Promise<string>
  readonly feed: Pick<Feed, 'page' | 'subscribe'>
  readonly changes: Pick<Changes, 'subscribe'>
  readonly webhooks: Pick<Webhooks, 'test' | 'attemptsOf' | 'lastFailureOf' | 'positionOf'>
  /** The name of this instance: 16 hex digits. */
  readonly instance: string
  /** Whether requests can be answered. */
  readonly isFollowing: () => boolean

  // People.
  readonly gate: Gate
  /** The address of a client. It must not get into the log. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly quotaDefault: Quota
  readonly sessions: Pick<LoginSessions, 'begin' | 'renew'>
  /** Undefined for a service without it. */
  readonly singleSignOn: SingleSignOn | undefined
  readonly finishRemoval: FinishRemoval
  readonly endBindings: EndBindings

  // The service.
  readonly agents: ReturnType<typeof openAgents>
  readonly condition: () => HealthCondition
  readonly metrics: { readonly text: () => Promise<string> }
  readonly digest: () => Promise<string>
}

/** What the end of a single sign-on needs of its beginning. */
export interface SignInTransaction extends SignInChecks {
  readonly expires: UnixMilliseconds
}

export interface SingleSignOn {
  readonly provider: Provider
  readonly roles: RoleMapping
  readonly transactions: Sealer<SignInTransaction>
  readonly used: UsedTickets
  /** Sign-ins that wait for the provider now. */
  exchanging: number
  readonly warn: (facts: object, sentence: string) => void
}
