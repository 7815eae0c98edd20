import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { SessionCause } from '../../domain/events/session.ts'
import type { User } from '../../users/user.ts'
import type { Sealer } from '../../vault/derived/sealer.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { type AttachClient, type Attached, bridge, CONSOLE_LIMITS, type ConsoleLimits } from './bridge.ts'
import { crossSite, makeAccept, malformed, wrongVersion } from './handshake.ts'
import { makeUsedTickets } from './used-tickets.ts'

/** What a ticket allows: a console of a reservation, to its holder, for a while. */
export interface ConsoleTicket {
  readonly reservationId: string
  /** The user as it asked for the ticket, which ends with that access, and with the token or session. */
  readonly access: Omit<User, 'name' | 'scope'>
  /** Unix milliseconds. */
  readonly expires: number
  /** Tells tickets apart. */
  readonly nonce: string
}

interface ConsolesOptions {
  readonly tickets: Sealer<ConsoleTicket>
  /** Finds the reservation if its holder may open a console. */
  readonly check: (id: string, user: User) => Promise<E.Either<Refusal, unknown>>
  readonly explainOver: (id: string, user: User) => Promise<Refusal>
  readonly attach: AttachClient
  /** The user of a ticket, if it may hold reservations and its access has not ended since. */
  readonly holder: (ticket: ConsoleTicket) => Promise<User | undefined>
  /** Whether a user still may have a console, by the token or session that it was opened with. */
  readonly isHolder: (user: User) => boolean
  /** Calls the listener when that may have changed. Returns a function that ends this. */
  readonly onAccessChange: (listener: () => void) => () => void
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly limits?: Partial<ConsoleLimits> | undefined
}

const NO_UPGRADE = refusal(
  'upgrade_required',
  'This address is a WebSocket. Send Connection: Upgrade, Upgrade: websocket.',
)
const INVALID = refusal('ticket_invalid', 'The ticket is unknown, has expired, or was used before.')
const FULL = refusal('gateway_full', 'Too many connections are open, in all or of this reservation.')

/** A valid ticket and its holder. */
interface Admitted {
  readonly ticket: ConsoleTicket
  readonly user: User
}

/** Checks everything about a request except its reservation. */
const admit = async (
  { tickets, holder, clock }: ConsolesOptions,
  request: IncomingMessage,
  text = '',
): Promise<E.Either<Refusal, Admitted>> => {
  const wrong = wrongVersion(request)
  if (wrong !== undefined) return E.left(wrong)
  const ticket = tickets.open(text)
  const user = ticket && (await holder(ticket))
  if (ticket === undefined || user === undefined || ticket.expires <= clock()) return E.left(INVALID)
  const refused = crossSite(request) ?? malformed(request)
  return refused === undefined ? E.right({ ticket, user }) : E.left(refused)
}

/** Connects to the SUT of a reservation. */
const connect = async (
  { check, attach, isHolder, explainOver }: ConsolesOptions,
  { ticket: { reservationId }, user }: Admitted,
): Promise<E.Either<Refusal, Attached>> => {
  const found = await check(reservationId, user)
  if (E.isLeft(found)) return found
  const attached = await attach(reservationId)
  if ('refused' in attached) {
    if (attached.refused === 'over') return E.left(await explainOver(reservationId, user))
    return E.left(attached.refused === 'full' ? FULL : refusal('unavailable', 'The gateway is not ready. Try again.'))
  }
  // From now on it is cut when the user's access ends, which may have happened meanwhile.
  if (isHolder(user)) return E.right(attached)
  attached.stream.destroy()
  return E.left(INVALID)
}

/** Between checks for tokens and sessions that have expired. */
const EXPIRY_INTERVAL_MS = 1_000

/** Consoles: RFB over WebSocket. */
export const makeConsoles = (options: ConsolesOptions) => {
  const { isHolder, onAccessChange, clock } = options
  const limits = { ...CONSOLE_LIMITS, ...options.limits }
  const accept = makeAccept(limits)
  const used = makeUsedTickets(clock)
  /** The gateway ends those of users whose access ends, and this those of a token or a session. */
  const consoles = new Map<(cause: SessionCause) => void, User>()
  let isClosed = false
  const endOthers = (): void => {
    for (const [end, user] of consoles) if (!isHolder(user)) end('barred')
  }
  const unwatch = onAccessChange(endOthers)
  const expiring = setInterval(endOthers, EXPIRY_INTERVAL_MS).unref()

  /** Opens a console on an attached connection; false if the client has left. */
  const openOn = (attached: Attached, user: User, { upgraded, request, requestId }: Call): boolean => {
    if (upgraded === undefined) return false
    upgraded.takeOver()
    request.socket.setKeepAlive(true, limits.keepAliveAfter)
    const socket = accept(request, upgraded.head, requestId)
    if (socket === undefined) {
      attached.stream.destroy()
      return false
    }
    const end = bridge(socket, attached, limits)
    consoles.set(end, user)
    socket.once('close', () => consoles.delete(end))
    // The service began to stop while this console was being opened.
    if (isClosed) end('stopped')
    return true
  }

  return {
    /** Opens a console for the ticket in the path of a call. */
    open: async (call: Call): RouteResult => {
      const { upgraded, request, params, setUser } = call
      if (upgraded === undefined) return E.left(NO_UPGRADE)
      const admitted = await admit(options, request, params.ticket)
      if (E.isLeft(admitted)) return admitted
      const { user, ticket } = admitted.right
      setUser(user)
      if (isClosed) return E.left(refusal('unavailable', 'The service is stopping.'))
      const claimed = used.claim(ticket.nonce, ticket.expires)
      if (claimed !== 'claimed') return E.left(claimed === 'used' ? INVALID : FULL)
      let isOpen = false
      try {
        const attached = await connect(options, admitted.right)
        if (E.isLeft(attached)) return attached
        isOpen = openOn(attached.right, user, call)
        return E.right({ status: 101, body: '' })
      } finally {
        if (!isOpen) used.release(ticket.nonce)
      }
    },
    /** Ends all of them, because the service stops. */
    close: (): void => {
      isClosed = true
      unwatch()
      clearInterval(expiring)
      for (const end of consoles.keys()) end('stopped')
    },
  }
}
