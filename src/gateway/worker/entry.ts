import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { CutCause } from '../connections/causes.ts'
import type { Connection } from '../connections/connection.ts'
import { reset } from '../connections/sockets.ts'
import type { Forwarding, Verdict } from '../messages.ts'
import type { Listener } from './listener.ts'

/** Maximum verdicts cached for a reservation. The oldest is evicted first. */
const CACHED_MAX = 256

/** Decides who may connect to one reservation. Verdicts are cached until `forget`. */
export const makeAdmissions = (ask: (address: string) => Promise<Verdict>) => {
  /** Concurrent connections from an address share a question. */
  const makeCache = () => new LRUCache<string, Promise<Verdict>>({ max: CACHED_MAX })
  let known = makeCache()
  return {
    verdictFor: async (address: string): Promise<Verdict> => {
      for (;;) {
        const began = known
        const asking = began.peek(address) ?? ask(address)
        if (!began.has(address)) began.set(address, asking)
        const verdict = await asking
        // Not a decision: ask again next time.
        if (!verdict.admitted && verdict.reason === 'undecided') began.delete(address)
        if (began === known) return verdict
      }
    },
    /** Invalidates cached verdicts and those still being decided. */
    forget: (): void => {
      known = makeCache()
    },
  }
}

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
  readonly admissions: ReturnType<typeof makeAdmissions>
  /** By number, the oldest first. */
  readonly connections: Map<number, Admitted>
  readonly undecided: Set<Socket>
  isOver: boolean
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
  entry.isOver = true
  entry.listener.close()
  for (const socket of entry.undecided) reset(socket)
  cutConnections(entry, cause)
}

/** Asks about each connection again. Cuts those no longer admitted, or no longer bound. */
export const reconsiderEntry = ({ admissions, connections }: ForwardedReservation): void => {
  admissions.forget()
  for (const { connection, address, isBound } of [...connections.values()]) {
    if (address === undefined) continue
    admissions.verdictFor(address).then((verdict) => {
      if (!verdict.admitted || (isBound && !verdict.isBound)) connection.cut('barred')
    })
  }
}
