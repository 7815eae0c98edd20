import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../connections/plain-address.ts'
import { reset } from '../connections/reset.ts'
import type { LimitReason, Limits, Verdict } from '../forwarding.ts'
import type { Client, OpenCount } from './connect-client.ts'
import type { Entry } from './entry.ts'
import type { Tallies } from './tallies.ts'

export interface AcceptOptions {
  readonly limits: Pick<Limits, 'connectionsMax' | 'connectionsOfOneMax'>
  readonly count: OpenCount
  readonly tallies: Tallies
  /** Whether a reservation may be connected to at this moment. */
  readonly isRunning: (entry: Entry) => boolean
  readonly connect: (entry: Entry, client: Client) => number
}

export interface Accept {
  /** Connects a socket or resets it. */
  readonly accept: (entry: Entry, socket: Socket) => void
  /** Connects a client in the main thread. Returns the number of the connection, or why there is none. */
  readonly attach: (entry: Entry, stream: Duplex, hasPassword: boolean) => number | LimitReason
}

export const makeAccept = ({ limits, count, tallies, isRunning, connect }: AcceptOptions): Accept => {
  const refuse = ({ forwarding }: Entry, socket: Socket, reason: LimitReason | (string & {})): void => {
    reset(socket)
    tallies.refused(forwarding.reservationId, reason)
  }

  /** The limit that another connection would exceed. */
  const limitOf = (entry: Entry): LimitReason | undefined => {
    if (!isRunning(entry)) return 'over'
    return entry.connections.size >= limits.connectionsOfOneMax ? 'too_many' : undefined
  }

  const decide = (entry: Entry, socket: Socket, address: string, verdict: Verdict): void => {
    const reason = verdict.admitted ? limitOf(entry) : verdict.reason
    if (reason !== undefined) refuse(entry, socket, reason)
    else if (verdict.admitted) {
      const { isBound, hasPassword } = verdict
      connect(entry, { stream: socket, address, isBound, hasPassword })
    }
  }

  const decideLater = (entry: Entry, socket: Socket, address: string, asked: Promise<Verdict>): void => {
    const leave = (): void => {
      if (entry.undecided.delete(socket)) count.open--
    }
    count.open++
    entry.undecided.add(socket)
    socket.once('close', leave)
    asked.then((verdict) => {
      leave()
      socket.off('close', leave)
      if (!socket.destroyed) decide(entry, socket, address, verdict)
    })
  }

  const accept = (entry: Entry, socket: Socket): void => {
    socket.on('error', () => undefined)
    // Undefined if the client has already left.
    const address = plainAddress(socket.remoteAddress ?? '')
    if (!isRunning(entry)) refuse(entry, socket, 'over')
    else if (count.open >= limits.connectionsMax) refuse(entry, socket, 'full')
    else if (address === '') reset(socket)
    else {
      const verdict = entry.admissions.verdictFor(address)
      if (verdict instanceof Promise) decideLater(entry, socket, address, verdict)
      else decide(entry, socket, address, verdict)
    }
  }

  const attach = (entry: Entry, stream: Duplex, hasPassword: boolean): number | LimitReason => {
    const limit = limitOf(entry) ?? (count.open >= limits.connectionsMax ? 'full' : undefined)
    return limit ?? connect(entry, { stream, address: undefined, isBound: true, hasPassword })
  }

  return { accept, attach }
}
