/** A port that Berth listens on for a running reservation, and the SUT that it forwards to. */
export interface Forwarding {
  readonly reservationId: string
  readonly listenPort: number
  /** Host name or address of the SUT. */
  readonly host: string
  readonly port: number
  readonly protocol: 'vnc' | 'rdp' | 'tcp'
  /** Unix milliseconds at which it ends; null while the clock is not trusted, so that nothing is cut by time. */
  readonly until: number | null
}

/** Whether a client address may connect. */
export type Verdict =
  | {
      readonly admitted: true
      /** Whether the reservation is bound to the address. */
      readonly isBound: boolean
      /** Whether the vault has a password of the SUT. */
      readonly hasPassword: boolean
    }
  | { readonly admitted: false; readonly reason: string }

/** Reasons of the gateway itself to refuse a connection. Verdicts have reasons of their own. */
export type LimitReason = 'over' | 'too_many' | 'full' | 'undecided'

/** Limits; each has a default in `gateway.ts`. */
export interface Limits {
  readonly connectionsMax: number
  readonly connectionsOfOneMax: number
  readonly connectTimeoutMs: number
  /** For each side of an RFB handshake. */
  readonly handshakeTimeoutMs: number
  /** Milliseconds after which a connection is cut that its client has half-closed and that moves nothing. */
  readonly halfClosedTimeoutMs: number
  /** Milliseconds that such a connection moves nothing before a new one may take its place at a limit. */
  readonly displaceableAfterMs: number
  /**
   * Milliseconds that the other side of a connection has acknowledged nothing before the connection is cut to make room
   * for a new one.
   */
  readonly stuckAfterMs: number
  /** Milliseconds between attempts to open a taken port. */
  readonly portRetryMs: number
  /** Milliseconds between reports of the bytes that open connections have forwarded. */
  readonly countEveryMs: number
}
