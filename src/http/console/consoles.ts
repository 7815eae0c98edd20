import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { User } from '../../users/user.ts'
import type { ConsoleTicket, ConsoleTickets } from '../../vault/derived/console-tickets.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Call, RouteResult, Upgraded } from '../protocol/route.ts'
import type { CheckConsole } from '../response/find-reservation.ts'
import type { Attached, Forwarded, NotAttached } from '../response/forwarded.ts'
import type { ExplainOver } from '../response/over.ts'
import { bridge, CONSOLE_LIMITS, type ConsoleLimits } from './bridge.ts'
import { crossSite, makeAccept, malformed, wrongVersion } from './handshake.ts'
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
  readonly limits?: Partial<ConsoleLimits> | undefined
}

/** Consoles: RFB over WebSocket. */
export interface Consoles {
  /** Opens a console for the ticket in the path of a call. */
  readonly open: (call: Call) => RouteResult
  /** Ends all of them, because the service stops. */
  readonly close: () => void
}

const NO_UPGRADE = refusal(
  'upgrade_required',
  'This address is a WebSocket. Send Connection: Upgrade, Upgrade: websocket.',
)
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
  async (request: IncomingMessage, text = ''): Promise<E.Either<Refusal, Admitted>> => {
    const wrong = wrongVersion(request)
    if (wrong !== undefined) return E.left(wrong)
    const ticket = tickets.verify(text)
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

/** Returns a function that opens a console on an attached connection; false if the client has left. */
const makeOpenConsole = (limits: ConsoleLimits, open: OpenConsoles) => {
  const accept = makeAccept(limits)
  return (
    attached: Attached,
    user: User,
    { request, socket, head, takeOver }: Upgraded,
    requestId: string,
  ): boolean => {
    takeOver()
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
  const open = makeOpenConsoles(options)
  const admit = makeAdmit(options)
  const attach = makeAttach(options)
  const openConsole = makeOpenConsole({ ...CONSOLE_LIMITS, ...options.limits }, open)
  return {
    open: async ({ upgraded, params, caller, requestId }) => {
      if (upgraded === undefined) return E.left(NO_UPGRADE)
      const admitted = await admit(upgraded.request, params.ticket)
      if (E.isLeft(admitted)) return admitted
      const { user } = admitted.right
      caller().signOn.passed(user)
      if (open.isClosed()) return E.left(refusal('unavailable', 'The service is stopping.'))
      const refused = await attach(admitted.right, (attached) => openConsole(attached, user, upgraded, requestId))
      return refused === undefined ? E.right({ status: 101, body: '' }) : E.left(refused)
    },
    close: open.closeAll,
  }
}
