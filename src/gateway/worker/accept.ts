import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../connections/addresses.ts'
import { reset } from '../connections/sockets.ts'
import type { ForwardingLimits, LimitReason, Verdict } from '../messages.ts'
import type { Client, OpenCount } from './connect-client.ts'
import { cutOldest, type ForwardedReservation } from './entry.ts'
import type { ConnectionRefusals } from './refusal-counts.ts'

interface AcceptOptions {
  readonly limits: Pick<ForwardingLimits, 'connectionsMax' | 'connectionsOfOneMax'>
  readonly count: OpenCount
  readonly refusals: ConnectionRefusals
  readonly connect: (entry: ForwardedReservation, client: Client) => void
}

export const makeAcceptor = ({ limits, count, refusals, connect }: AcceptOptions) => {
  const refuse = ({ forwarding }: ForwardedReservation, socket: Socket, reason: LimitReason | (string & {})): void => {
    reset(socket)
    refusals.refused(forwarding.reservationId, reason)
  }

  /** Why another connection is refused. At a limit it takes the place of the oldest of its reservation. */
  const limitOf = (entry: ForwardedReservation): LimitReason | undefined => {
    if (entry.isOver) return 'over'
    const isFull = count.open >= limits.connectionsMax
    if (!isFull && entry.connections.size < limits.connectionsOfOneMax) return undefined
    return cutOldest(entry) ? undefined : 'full'
  }

  const decide = (entry: ForwardedReservation, socket: Socket, address: string, verdict: Verdict): void => {
    const refused = verdict.admitted ? limitOf(entry) : verdict.reason
    if (refused !== undefined) refuse(entry, socket, refused)
    else if (verdict.admitted) connect(entry, { ...verdict, stream: socket, address })
  }

  const admit = async (entry: ForwardedReservation, socket: Socket, address: string): Promise<void> => {
    // It counts as open while its verdict is awaited, unless it closes.
    const leave = (): void => {
      if (entry.undecided.delete(socket)) count.open--
    }
    count.open++
    entry.undecided.add(socket)
    socket.once('close', leave)
    const verdict = await entry.admissions.verdictFor(address)
    leave()
    socket.off('close', leave)
    if (!socket.destroyed) decide(entry, socket, address, verdict)
  }

  /** Connects a socket or resets it. */
  const accept = (entry: ForwardedReservation, socket: Socket): void => {
    socket.on('error', () => undefined)
    // Undefined if the client has already left.
    const address = plainAddress(socket.remoteAddress ?? '')
    if (address === '') reset(socket)
    else if (entry.isOver) refuse(entry, socket, 'over')
    else if (count.open >= limits.connectionsMax && entry.connections.size === 0) refuse(entry, socket, 'full')
    else void admit(entry, socket, address)
  }

  /** Connects a client in the main thread. Returns why it is not, if so. */
  const attach = (entry: ForwardedReservation, stream: Duplex, hasPassword: boolean): LimitReason | undefined => {
    const refused = limitOf(entry)
    if (refused === undefined) connect(entry, { stream, address: undefined, isBound: true, hasPassword })
    return refused
  }

  return { accept, attach }
}
