import type { Socket } from 'node:net'
import type { CutCause } from '../connections/causes.ts'
import type { Connection } from '../connections/connection.ts'
import { reset } from '../connections/reset.ts'
import type { Forwarding } from '../forwarding.ts'
import type { Admissions } from './admissions.ts'
import type { Listener } from './listener.ts'

/** A connection of a client address. */
export interface Admitted {
  readonly connection: Connection
  /** Undefined for a client of the main thread, which is admitted by other means. */
  readonly address: string | undefined
  readonly isBound: boolean
}

/** What the worker thread has of a reservation. */
export interface Entry {
  forwarding: Forwarding
  listener: Listener
  readonly admissions: Admissions
  readonly connections: Map<number, Admitted>
  /** Sockets that wait for a verdict. */
  readonly undecided: Set<Socket>
}

/** Stops listening and cuts everything. The port is free when it returns. */
export const closeEntry = ({ listener, connections, undecided }: Entry, cause: CutCause): void => {
  listener.close()
  for (const socket of undecided) reset(socket)
  for (const { connection } of [...connections.values()]) connection.cut(cause)
}

/** Asks about each connection again, and cuts those that would not be what they are. */
export const reconsiderEntry = ({ admissions, connections }: Entry): void => {
  admissions.forget()
  for (const { connection, address, isBound } of [...connections.values()]) {
    if (address === undefined) continue
    Promise.resolve(admissions.verdictFor(address)).then((verdict) => {
      if (!verdict.admitted || (isBound && !verdict.isBound)) connection.cut('barred')
    })
  }
}
