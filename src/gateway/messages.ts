/** What the main thread and the gateway's worker thread call of each other. */

import type { MessagePort } from 'node:worker_threads'
import type { SessionCause } from '../domain/events/session.ts'
import type { ConnectionFailure, CutCause } from './connections/causes.ts'

/** A port that Berth listens on for a running reservation, and the SUT that it forwards to. */
export interface Forwarding {
  readonly reservationId: string
  readonly listenPort: number
  /** Host name or address of the SUT. */
  readonly host: string
  readonly port: number
  readonly protocol: 'vnc' | 'rdp' | 'tcp'
}

/** Whether a client address may connect. */
export type Verdict =
  | {
      readonly admitted: true
      /** Whether the reservation is bound to the address. */
      readonly isBound: boolean
      readonly hasPassword: boolean
    }
  | { readonly admitted: false; readonly reason: string }

export const UNDECIDED: Verdict = { admitted: false, reason: 'undecided' }

/** Reasons of the gateway itself to refuse a connection. Verdicts have reasons of their own. */
export type LimitReason = 'over' | 'full' | 'undecided'

export const FORWARDING_LIMITS = {
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
export type ForwardingLimits = Readonly<typeof FORWARDING_LIMITS>

export interface GatewayWorkerOptions extends ForwardingLimits {
  readonly host: string
  readonly ownPorts: readonly number[]
}

/** Functions of the worker thread. Calls take effect in order. */
export interface GatewayThread {
  /** Resolves with whether the port is open. */
  readonly open: (forwarding: Forwarding) => Promise<boolean>
  readonly close: (reservationId: string, cause: CutCause) => void
  readonly cut: (reservationId: string, cause: CutCause) => void
  readonly reconsider: (reservationId: string) => void
  /** Connects a client in the main thread. Returns why it is not, if so. */
  readonly attach: (client: Attach) => LimitReason | undefined
}

/** A client in the main thread, which connects as one that the reservation is bound to. */
export interface Attach {
  readonly reservationId: string
  readonly hasPassword: boolean
  readonly port: MessagePort
}

export interface ConnectionEvent {
  readonly reservationId: string
  /** Unique among open connections. */
  readonly connection: number
}
export interface ConnectedReport extends ConnectionEvent {
  /** From the client's admission until its SUT was connected, handshakes included. */
  readonly milliseconds: number
}
/** Bytes that an open connection has forwarded so far. */
export interface CountedReport extends ConnectionEvent {
  readonly bytesToSut: number
  readonly bytesFromSut: number
}
export interface ConnectionEnd extends CountedReport {
  /** `lost`: the worker thread failed. The counts are its last ones. */
  readonly cause: SessionCause
}

export interface Reports {
  readonly onConnected: (connected: ConnectedReport) => void
  /** Bytes that an open connection has forwarded so far. Called every few seconds if they have changed. */
  readonly onCounted: (counted: CountedReport) => void
  readonly onDisconnected: (end: ConnectionEnd) => void
  /** Refusals since the last call. At most ten calls a second for each reservation and reason. */
  readonly onRefused: (reservationId: string, reason: LimitReason | (string & {}), count: number) => void
  /** The last failure. At most ten calls a second for each reservation. */
  readonly onFailed: (reservationId: string, failure: ConnectionFailure) => void
  /**
   * A port cannot be opened, with the error's code, such as EADDRINUSE. Called once until `onPortOpened` or `close`.
   */
  readonly onPortTaken: (reservationId: string, port: number, code: string) => void
  readonly onPortOpened: (reservationId: string, port: number) => void
}

/** Functions of the main thread. */
export interface GatewayOwner extends Reports {
  readonly admit: (reservationId: string, address: string) => Promise<Verdict>
  readonly answerChallenge: (reservationId: string, challenge: Uint8Array) => Promise<Uint8Array | undefined>
}
