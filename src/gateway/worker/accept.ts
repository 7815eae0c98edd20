import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { plainAddress } from '../connections/addresses.ts'
import { reset } from '../connections/sockets.ts'
import type { LimitReason, Limits, Verdict } from '../forwarding.ts'
import type { Client, OpenCount } from './connect-client.ts'
import { type ForwardedReservation, longestHalfClosed } from './entry.ts'
import type { RefusalCounts } from './refusal-counts.ts'
import type { Stuck } from './stuck.ts'

export interface AcceptOptions {
  readonly limits: Pick<Limits, 'connectionsMax' | 'connectionsOfOneMax' | 'displaceableAfterMs'>
  readonly count: OpenCount
  readonly refusals: RefusalCounts
  /** Whether a reservation may be connected to at this moment. */
  readonly isRunning: (entry: ForwardedReservation) => boolean
  readonly stuck: Stuck
  readonly connect: (entry: ForwardedReservation, client: Client) => number
}

/** Sockets beyond `connectionsMax` that may wait for the kernel's tables, in case that somebody's are stuck. */
const WAITING_MAX = 64

/** Whether another connection fits the limits. */
const makeLimits = ({ limits, count, isRunning, stuck }: AcceptOptions) => {
  const isFull = (): boolean => count.open >= limits.connectionsMax

  /** Cuts a connection that another may take the place of; undefined if there is none. */
  const displacing = (entry: ForwardedReservation): (() => void) | undefined => {
    const halfClosed = longestHalfClosed(entry, limits.displaceableAfterMs)
    return halfClosed === undefined ? stuck.cutsOf(entry)[0] : () => halfClosed.cut('client')
  }

  /** The limit that another connection would exceed. At a limit it takes the place of one that is of no use. */
  const limitOf = (entry: ForwardedReservation): LimitReason | undefined => {
    if (!isRunning(entry)) return 'over'
    const limit = entry.connections.size >= limits.connectionsOfOneMax ? 'too_many' : isFull() ? 'full' : undefined
    const displace = limit && displacing(entry)
    displace?.()
    return displace === undefined ? limit : undefined
  }

  return {
    isFull,
    isDisplaceable: (entry: ForwardedReservation): boolean => displacing(entry) !== undefined,
    mayWait: (): boolean => count.open < limits.connectionsMax + WAITING_MAX,
    limitOf,
  }
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
  const { count, refusals, isRunning, stuck, connect } = options
  const refuse = ({ forwarding }: ForwardedReservation, socket: Socket, reason: LimitReason | (string & {})): void => {
    reset(socket)
    refusals.refused(forwarding.reservationId, reason)
  }

  const { isFull, isDisplaceable, mayWait, limitOf } = makeLimits(options)
  const later = makeLater(count)

  /** At a limit: looks again once it is known what is stuck. */
  const recheck = (entry: ForwardedReservation, socket: Socket, limit: LimitReason, again: () => void): void => {
    const refreshed = limit === 'over' || !mayWait() ? undefined : stuck.refresh()
    if (refreshed === undefined) refuse(entry, socket, limit)
    else later(entry, socket, refreshed, again)
  }

  const decide = (entry: ForwardedReservation, socket: Socket, address: string, verdict: Verdict): void => {
    const limit = verdict.admitted ? limitOf(entry) : undefined
    if (!verdict.admitted) refuse(entry, socket, verdict.reason)
    else if (limit !== undefined) recheck(entry, socket, limit, () => admit(entry, socket, address))
    else {
      const { isBound, hasPassword } = verdict
      connect(entry, { stream: socket, address, isBound, hasPassword })
    }
  }

  const admit = (entry: ForwardedReservation, socket: Socket, address: string): void => {
    const verdict = entry.admissions.verdictFor(address)
    if (verdict instanceof Promise) later(entry, socket, verdict, (found) => decide(entry, socket, address, found))
    else decide(entry, socket, address, verdict)
  }

  const consider = (entry: ForwardedReservation, socket: Socket, address: string): void => {
    if (!isRunning(entry)) refuse(entry, socket, 'over')
    else if (isFull() && !isDisplaceable(entry)) {
      recheck(entry, socket, 'full', () => consider(entry, socket, address))
    } else admit(entry, socket, address)
  }

  /** Connects a socket or resets it. */
  const accept = (entry: ForwardedReservation, socket: Socket): void => {
    socket.on('error', () => undefined)
    // Undefined if the client has already left.
    const address = plainAddress(socket.remoteAddress ?? '')
    if (address === '') reset(socket)
    else consider(entry, socket, address)
  }

  /** Connects a client in the main thread. Resolves with the number of the connection, or why there is none. */
  const attach = async (
    entry: ForwardedReservation,
    stream: Duplex,
    hasPassword: boolean,
  ): Promise<number | LimitReason> => {
    let limit = limitOf(entry)
    if (limit === 'too_many' || limit === 'full') {
      await stuck.refresh()
      limit = stream.destroyed ? 'over' : limitOf(entry)
    }
    return limit ?? connect(entry, { stream, address: undefined, isBound: true, hasPassword })
  }

  return { accept, attach }
}
