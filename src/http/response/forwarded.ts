import type { Duplex } from 'node:stream'
import type { SessionCause } from '../../domain/events/session.ts'

/** The reservations that this instance forwards. */
export interface Forwarded {
  /** Whether a reservation is forwarded here now. */
  readonly has: (reservationId: string) => boolean
  /**
   * Resolves once its port is open here, once that will never be, after `within` milliseconds, or when waits end. At
   * once if too many wait already.
   */
  readonly waitUntilOpen: (reservationId: string, within: number) => Promise<void>
  /** Since when its port is open, in Unix milliseconds; undefined while it is not, also if another program holds it. */
  readonly openSince: (reservationId: string) => number | undefined
  /** Number of its open connections here. */
  readonly connections: (reservationId: string) => number
  /** The last failure to reach its SUT from here, or to open its port. */
  readonly lastError: (reservationId: string) => LastError | undefined
}

/** Connects a client in this process, as one that the reservation is bound to. */
export type AttachClient = (reservationId: string) => Promise<Attached | NotAttached>

export interface LastError {
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string
  readonly cause: string
  /** What the SUT says of it, as it may be passed on. */
  readonly reason?: string
}

export interface Attached {
  /** Takes the place of a client's socket. It is destroyed when the connection is cut. */
  readonly stream: Duplex
  /** Why it was destroyed. */
  readonly endedBy: () => SessionCause
}

/** A limit was reached, or the reservation is over. */
export interface NotAttached {
  readonly refused: 'over' | 'full' | 'undecided'
}
