import type { Duplex } from 'node:stream'

/** What this instance forwards, as routes show and use it. */
export interface Forwarded {
  /** Whether a reservation is forwarded here at this moment. */
  readonly has: (reservationId: string) => boolean
  /** Resolves to true once it is forwarded here, to false after so many milliseconds. */
  readonly comes: (reservationId: string, within: number) => Promise<boolean>
  /** Whether its port is open. Another program may have it. */
  readonly isOpen: (reservationId: string) => boolean
  /** Its open connections here. */
  readonly connections: (reservationId: string) => number
  /** The last failure to reach its SUT from here. */
  readonly lastError: (reservationId: string) => LastError | undefined
  /** Connects a client of this process, as one that the reservation is bound to. */
  readonly attach: (reservationId: string) => Promise<Attached | NotAttached>
}

export interface LastError {
  /** RFC 3339, UTC, with milliseconds. */
  readonly time: string
  readonly cause: string
}

/** Why a connection ended. */
export type AttachedEnd = 'client' | 'sut' | 'over' | 'released' | 'barred' | 'stopped' | 'lost'

export interface Attached {
  /** What the client's socket would be. It is destroyed when the connection is cut. */
  readonly stream: Duplex
  /** Resolves when the end is known. It may never be, if the SUT was not reached. */
  readonly ended: Promise<AttachedEnd>
  /** Forgets the connection. */
  readonly leave: () => void
}

/** A limit was reached, or the reservation is over. */
export interface NotAttached {
  readonly refused: 'over' | 'too_many' | 'full' | 'undecided'
}
