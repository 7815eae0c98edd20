import type { SessionCause } from '../../domain/events/session.ts'
import type { User } from '../../domain/user/user.ts'
import type { Clock, UnixMilliseconds } from '../../domain/values/units.ts'
import type { Call } from '../protocol/call.ts'
import { type Attached, bridge, CONSOLE_LIMITS, type ConsoleLimits } from './bridge.ts'
import { makeAccept } from './handshake.ts'
import { makeUsedTickets } from './used-tickets.ts'

/** What a ticket allows: a console of a reservation, to its holder, for a while. */
export interface ConsoleTicket {
  readonly reservationId: string
  /** The user as it asked for the ticket, which ends with that access, and with the token or session. */
  readonly access: Omit<User, 'name' | 'scope'>
  readonly expires: UnixMilliseconds
  /** Tells tickets apart. */
  readonly nonce: string
}

interface ConsolesOptions {
  /** Whether a user still may have a console, by the token or session that it was opened with. */
  readonly isHolder: (user: User) => boolean
  /** Calls the listener when that may have changed. Returns a function that ends this. */
  readonly onAccessChange: (listener: () => void) => () => void
  readonly clock: Clock
  readonly limits?: Partial<ConsoleLimits> | undefined
}

/** Between checks for tokens and sessions that have expired. */
const EXPIRY_INTERVAL_MS = 1_000

/** Consoles: RFB over WebSocket. */
export const makeConsoles = (options: ConsolesOptions) => {
  const { isHolder, onAccessChange, clock } = options
  const limits = { ...CONSOLE_LIMITS, ...options.limits }
  const accept = makeAccept(limits)
  /** The gateway ends those of users whose access ends, and this those of a token or a session. */
  const consoles = new Map<(cause: SessionCause) => void, User>()
  let isClosed = false
  const endOthers = (): void => {
    for (const [end, user] of consoles) if (!isHolder(user)) end('barred')
  }
  const unwatch = onAccessChange(endOthers)
  const expiring = setInterval(endOthers, EXPIRY_INTERVAL_MS).unref()

  return {
    isHolder,
    isClosed: (): boolean => isClosed,
    used: makeUsedTickets(clock),
    /** Opens a console on an attached connection; false if the client has left. */
    open: (attached: Attached, user: User, { upgraded, request, requestId }: Call): boolean => {
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
