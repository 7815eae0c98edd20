import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../connections/plain-address.ts'
import { reset } from '../connections/reset.ts'
import type { LimitReason, Limits, Verdict } from '../forwarding.ts'
import type { Client, OpenCount } from './connect-client.ts'
import { type Entry, longestHalfClosed } from './entry.ts'
import type { StuckOf } from './stuck.ts'
import type { Tallies } from './tallies.ts'

export interface AcceptOptions {
  readonly limits: Pick<Limits, 'connectionsMax' | 'connectionsOfOneMax' | 'displaceableAfterMs'>
  readonly count: OpenCount
  readonly tallies: Tallies
  /** Whether a reservation may be connected to at this moment. */
  readonly isRunning: (entry: Entry) => boolean
  readonly stuckOf: StuckOf
  readonly connect: (entry: Entry, client: Client) => number
}

export interface Accept {
  /** Connects a socket or resets it. */
  readonly accept: (entry: Entry, socket: Socket) => void
  /** Connects a client in the main thread. Returns the number of the connection, or why there is none. */
  readonly attach: (entry: Entry, stream: Duplex, hasPassword: boolean) => number | LimitReason
}

/** Whether another connection fits the limits. */
const makeLimits = ({ limits, count, isRunning, stuckOf }: AcceptOptions) => {
  const isFull = (): boolean => count.open >= limits.connectionsMax

  /** Cuts a connection that another may take the place of; undefined if there is none. */
  const displacing = (entry: Entry): (() => void) | undefined => {
    const halfClosed = longestHalfClosed(entry, limits.displaceableAfterMs)
    return halfClosed === undefined ? stuckOf(entry)[0] : () => halfClosed.cut('client')
  }

  /** The limit that another connection would exceed. At a limit it takes the place of one that is of no use. */
  const limitOf = (entry: Entry): LimitReason | undefined => {
    if (!isRunning(entry)) return 'over'
    const limit = entry.connections.size >= limits.connectionsOfOneMax ? 'too_many' : isFull() ? 'full' : undefined
    const displace = limit && displacing(entry)
    displace?.()
    return displace === undefined ? limit : undefined
  }

  return { isFull, isDisplaceable: (entry: Entry): boolean => displacing(entry) !== undefined, limitOf }
}

export const makeAccept = (options: AcceptOptions): Accept => {
  const { count, tallies, isRunning, connect } = options
  const refuse = ({ forwarding }: Entry, socket: Socket, reason: LimitReason | (string & {})): void => {
    reset(socket)
    tallies.refused(forwarding.reservationId, reason)
  }

  const { isFull, isDisplaceable, limitOf } = makeLimits(options)

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
    else if (isFull() && !isDisplaceable(entry)) refuse(entry, socket, 'full')
    else if (address === '') reset(socket)
    else {
      const verdict = entry.admissions.verdictFor(address)
      if (verdict instanceof Promise) decideLater(entry, socket, address, verdict)
      else decide(entry, socket, address, verdict)
    }
  }

  const attach = (entry: Entry, stream: Duplex, hasPassword: boolean): number | LimitReason =>
    limitOf(entry) ?? connect(entry, { stream, address: undefined, isBound: true, hasPassword })

  return { accept, attach }
}
