import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { makeEventId, type RandomHex } from '../../domain/values/ids.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { User } from '../../users/user.ts'
import type { ConsoleTicket, ConsoleTickets } from '../../vault/derived/console-tickets.ts'
import { type Code, codes, type Refusal, refusal } from '../protocol/problem.ts'
import type { Upgrade, UpgradedConnection } from '../protocol/route.ts'
import { headProblem } from '../request/request-head.ts'
import type { CheckConsole } from '../response/find-reservation.ts'
import type { Attached, Forwarded, NotAttached } from '../response/forwarded.ts'
import type { ExplainOver } from '../response/over.ts'
import { type RequestSummary, traceIdOf } from '../response/request-summary.ts'
import { refuseRaw } from '../server/refuse-raw.ts'
import { bridge, CONSOLE_LIMITS, type ConsoleLimits } from './bridge.ts'
import { crossSite, isWebSocket, makeAccept, malformed, wrongVersion } from './handshake.ts'
import { type AccessWatch, makeOpenConsoles, type OpenConsoles } from './open-consoles.ts'
import { makeUsedTickets } from './used-tickets.ts'

interface ConsolesOptions extends AccessWatch {
  readonly tickets: Pick<ConsoleTickets, 'verify'>
  /** Finds the reservation if its holder may open a console. */
  readonly check: CheckConsole
  readonly explainOver: ExplainOver
  readonly forwarded: Pick<Forwarded, 'attach'>
  /** The user of a ticket, if it may hold reservations and its access has not ended since. */
  readonly holder: (ticket: ConsoleTicket) => Promise<User | undefined>
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly addressOf: (request: IncomingMessage) => string
  readonly onAnswered: (answered: RequestSummary, request: IncomingMessage) => void
  readonly onError: (error: unknown, requestId: string) => void
  /** Called when a console is refused because the store is unavailable. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
  readonly limits?: Partial<ConsoleLimits> | undefined
}

/** Consoles: RFB over WebSocket. */
export interface Consoles extends Upgrade {
  /** Ends all of them, because the service stops. */
  readonly close: () => void
}

const INVALID = refusal('ticket_invalid', 'The ticket is unknown, has expired, or was used before.')
const FULL = refusal('gateway_full', 'Too many connections are open, in all or of this reservation.')

const notAttached = (refused: Exclude<NotAttached['refused'], 'over'>): Refusal => {
  return refused === 'undecided' ? refusal('unavailable', 'The gateway is not ready. Try again.') : FULL
}

/** A valid ticket and its holder. */
interface Admitted {
  readonly ticket: ConsoleTicket
  readonly user: User
}

/** Checks everything about a request except its reservation. */
const makeAdmit =
  ({ tickets, holder, clock }: ConsolesOptions) =>
  async ({ request, params }: UpgradedConnection): Promise<E.Either<Refusal, Admitted>> => {
    const unclear = headProblem({ req: request, url: request.url ?? '' }) ?? wrongVersion(request)
    if (unclear !== undefined) return E.left(unclear)
    const ticket = tickets.verify(params.ticket ?? '')
    const user = ticket && (await holder(ticket))
    if (ticket === undefined || user === undefined || ticket.expires <= clock()) return E.left(INVALID)
    const refused = crossSite(request) ?? malformed(request)
    return refused === undefined ? E.right({ ticket, user }) : E.left(refused)
  }

const dropAttached = ({ stream, leave }: Attached): void => {
  stream.destroy()
  leave()
}

/** Attaches a client to the reservation of its ticket. The ticket is used up if `open` then opens a console. */
const makeAttach = ({ check, forwarded, isHolder, clock, explainOver }: ConsolesOptions) => {
  const used = makeUsedTickets(clock)
  return async (
    { ticket: { reservationId, nonce, expires }, user }: Admitted,
    open: (attached: Attached) => boolean,
  ): Promise<Refusal | undefined> => {
    const claimed = used.claim(nonce, expires)
    if (claimed !== 'claimed') return claimed === 'used' ? INVALID : FULL
    let isOpen = false
    try {
      const found = await check(reservationId, user)
      if (E.isLeft(found)) return found.left
      const attached = await forwarded.attach(reservationId)
      if ('refused' in attached)
        return attached.refused === 'over' ? explainOver(reservationId, user) : notAttached(attached.refused)
      // From now on it is cut when the user's access ends, which may have happened meanwhile.
      if (!isHolder(user)) {
        dropAttached(attached)
        return INVALID
      }
      isOpen = open(attached)
      return undefined
    } finally {
      if (!isOpen) used.release(nonce)
    }
  }
}

/** Summarizes a request once it has been answered. */
const makeStartReport =
  ({ addressOf, onAnswered }: ConsolesOptions) =>
  ({ request, route }: UpgradedConnection, requestId: string) => {
    const began = performance.now()
    // Read now: it is unknown once the connection has closed.
    const address = addressOf(request)
    return (status: number, code: Code | undefined, user: User | undefined): void => {
      const milliseconds = performance.now() - began
      const about = { requestId, traceId: traceIdOf(request.headers.traceparent), method: 'GET', route }
      onAnswered({ ...about, status, code, milliseconds, user, address }, request)
    }
  }

/** Returns a function that opens a console on an attached connection; false if the client has left. */
const makeOpenConsole = (limits: ConsoleLimits, open: OpenConsoles) => {
  const accept = makeAccept(limits)
  return (
    attached: Attached,
    user: User,
    { request, socket, head }: UpgradedConnection,
    requestId: string,
  ): boolean => {
    socket.setKeepAlive(true, limits.keepAliveAfter)
    const webSocket = accept(request, socket, head, requestId)
    if (webSocket === undefined) {
      dropAttached(attached)
      return false
    }
    open.add(webSocket, { user, end: bridge(webSocket, attached, limits) })
    return true
  }
}

export const makeConsoles = (options: ConsolesOptions): Consoles => {
  const { clock, randomHex, onError, onUnavailable } = options
  const open = makeOpenConsoles(options)
  const admit = makeAdmit(options)
  const attach = makeAttach(options)
  const openConsole = makeOpenConsole({ ...CONSOLE_LIMITS, ...options.limits }, open)
  const startReport = makeStartReport(options)

  const take = async (connection: UpgradedConnection): Promise<void> => {
    const { request, socket, isStopping } = connection
    const requestId = makeEventId(clock(), randomHex(10))
    const report = startReport(connection, requestId)
    let user: User | undefined
    const refused = await (async () => {
      const admitted = await admit(connection)
      if (E.isLeft(admitted)) return admitted.left
      const { user: known } = admitted.right
      user = known
      if (isStopping()) return refusal('unavailable', 'The service is stopping.')
      return attach(admitted.right, (attached) => openConsole(attached, known, connection, requestId))
    })().catch((error: unknown) => {
      if (error instanceof StoreUnavailable) {
        onUnavailable(error, requestId)
        return refusal('unavailable', 'The event store cannot be read. Try again.')
      }
      onError(error, requestId)
      return refusal('internal', 'An unexpected error occurred. The log has details under this request id.')
    })
    if (refused === undefined) return report(101, undefined, user)
    refuseRaw(socket, refused, requestId, request.headers.accept)
    report(codes[refused.code].status, refused.code, user)
  }

  return {
    accepts: isWebSocket,
    take: (connection) => void take(connection),
    close: open.closeAll,
  }
}
