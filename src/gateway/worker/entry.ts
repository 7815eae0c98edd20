import type { Socket } from 'node:net'
import type { CutCause } from '../connections/causes.ts'
import type { Connection } from '../connections/connection.ts'
import { reset } from '../connections/sockets.ts'
import type { Forwarding } from '../messages.ts'
import type { Admissions } from './admissions.ts'
import type { Listener } from './listener.ts'

/** An open connection. */
export interface Admitted {
  readonly connection: Connection
  /** Of the client. Undefined for a client in the main thread, which is admitted by other means. */
  readonly address: string | undefined
  readonly isBound: boolean
}

/** One forwarded reservation in the worker thread. */
export interface ForwardedReservation {
  forwarding: Forwarding
  listener: Listener
  readonly admissions: Admissions
  /** By number, the oldest first. */
  readonly connections: Map<number, Admitted>
  /** Sockets waiting for a verdict. */
  readonly undecided: Set<Socket>
}

export const cutConnections = ({ connections }: ForwardedReservation, cause: CutCause): void => {
  for (const { connection } of [...connections.values()]) connection.cut(cause)
}

/**
 * Cuts the oldest connection of a reservation, so that a new one has room. Returns whether there was any; one whose
 * handshake with the SUT is under way is none.
 *
 * @param before the number of the new one, if it has one already
 */
export const cutOldest = ({ connections }: ForwardedReservation, before = Number.POSITIVE_INFINITY): boolean => {
  for (const [number, { connection }] of connections) {
    if (number >= before) return false
    // It would still be there.
    if (connection.isHeld()) continue
    connection.cut('client')
    return true
  }
  return false
}

/** Stops listening and cuts everything. The port is free when it returns. */
export const closeEntry = (entry: ForwardedReservation, cause: CutCause): void => {
  entry.listener.close()
  for (const socket of entry.undecided) reset(socket)
  cutConnections(entry, cause)
}

/** Asks about each connection again. Cuts those no longer admitted, or no longer bound. */
export const reconsiderEntry = ({ admissions, connections }: ForwardedReservation): void => {
  admissions.forget()
  for (const { connection, address, isBound } of [...connections.values()]) {
    if (address === undefined) continue
    Promise.resolve(admissions.verdictFor(address)).then((verdict) => {
      if (!verdict.admitted || (isBound && !verdict.isBound)) connection.cut('barred')
    })
  }
}
