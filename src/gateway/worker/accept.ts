import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../connections/addresses.ts'
import { reset } from '../connections/sockets.ts'
import type { ForwardingLimits, LimitReason, Verdict } from '../messages.ts'
import type { Client, OpenCount } from './connect-client.ts'
import { cutOldest, type ForwardedReservation } from './entry.ts'
import type { ConnectionRefusals } from './refusal-counts.ts'

export interface AcceptOptions {
  readonly limits: Pick<ForwardingLimits, 'connectionsMax' | 'connectionsOfOneMax'>
  readonly count: OpenCount
  readonly refusals: ConnectionRefusals
  /** Whether a reservation may be connected to at this moment. */
  readonly isRunning: (entry: ForwardedReservation) => boolean
  readonly connect: (entry: ForwardedReservation, client: Client) => number
}

/** Why another connection is refused. At a limit it takes the place of the oldest of its reservation. */
const makeLimitOf =
  ({ limits, count, isRunning }: AcceptOptions) =>
  (entry: ForwardedReservation): LimitReason | undefined => {
    if (!isRunning(entry)) return 'over'
    const isFull = count.open >= limits.connectionsMax
    if (!isFull && entry.connections.size < limits.connectionsOfOneMax) return undefined
    return cutOldest(entry) ? undefined : 'full'
  }

/** Goes on when something is known, unless the socket has closed. It counts as open meanwhile. */
const makeLater =
  (count: OpenCount) =>
  <A>(entry: ForwardedReservation, socket: Socket, pending: Promise<A>, next: (result: A) => void): void => {
    const leave = (): void => {
      if (entry.undecided.delete(socket)) count.open--
    }
    count.open++
    entry.undecided.add(socket)
    socket.once('close', leave)
    pending.then((result) => {
      leave()
      socket.off('close', leave)
      if (!socket.destroyed) next(result)
    })
  }

export const makeAcceptor = (options: AcceptOptions) => {
  const { limits, count, refusals, isRunning, connect } = options
  const refuse = ({ forwarding }: ForwardedReservation, socket: Socket, reason: LimitReason | (string & {})): void => {
    reset(socket)
    refusals.refused(forwarding.reservationId, reason)
  }

  const limitOf = makeLimitOf(options)
  const later = makeLater(count)

  const decide = (entry: ForwardedReservation, socket: Socket, address: string, verdict: Verdict): void => {
    const refused = verdict.admitted ? limitOf(entry) : verdict.reason
    if (refused !== undefined) refuse(entry, socket, refused)
    else if (verdict.admitted) {
      const { isBound, hasPassword } = verdict
      connect(entry, { stream: socket, address, isBound, hasPassword })
    }
  }

  const admit = (entry: ForwardedReservation, socket: Socket, address: string): void => {
    const verdict = entry.admissions.verdictFor(address)
    if (verdict instanceof Promise) later(entry, socket, verdict, (found) => decide(entry, socket, address, found))
    else decide(entry, socket, address, verdict)
  }

  /** Connects a socket or resets it. */
  const accept = (entry: ForwardedReservation, socket: Socket): void => {
    socket.on('error', () => undefined)
    // Undefined if the client has already left.
    const address = plainAddress(socket.remoteAddress ?? '')
    if (address === '') reset(socket)
    else if (!isRunning(entry)) refuse(entry, socket, 'over')
    else if (count.open >= limits.connectionsMax && entry.connections.size === 0) refuse(entry, socket, 'full')
    else admit(entry, socket, address)
  }

  /** Connects a client in the main thread. Returns the number of the connection, or why there is none. */
  const attach = (entry: ForwardedReservation, stream: Duplex, hasPassword: boolean): number | LimitReason =>
    limitOf(entry) ?? connect(entry, { stream, address: undefined, isBound: true, hasPassword })

  return { accept, attach }
}
