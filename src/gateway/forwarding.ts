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
export type LimitReason = 'over' | 'full' | 'undecided'

export const LIMITS = {
  connectionsMax: 4_096,
  connectionsOfOneMax: 64,
  connectTimeoutMs: 10_000,
  /** For each side of an RFB handshake. */
  handshakeTimeoutMs: 30_000,
  /** Milliseconds between attempts to open a taken port. */
  portRetryMs: 10_000,
  /** Milliseconds between reports of the bytes that open connections have forwarded. */
  countEveryMs: 10_000,
}
export type Limits = Readonly<typeof LIMITS>
