import type { MessagePort } from 'node:worker_threads'
import type { ConnectionFailure, CutCause, EndCause } from './connections/causes.ts'
import type { DialTarget } from './connections/dial.ts'
import type { Forwarding, LimitReason, Limits, Verdict } from './forwarding.ts'

/** What the main thread and the gateway's worker thread call of each other. */

export interface GatewayWorkerOptions extends Limits {
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
  readonly hold: (target: DialTarget) => void
  readonly release: (target: DialTarget) => void
  /** Connects a client in the main thread. Resolves with the number of the connection, or why there is none. */
  readonly attach: (client: Attach) => Promise<number | LimitReason>
}

/** A client in the main thread, which connects as one that the reservation is bound to. */
export interface Attach {
  readonly reservationId: string
  readonly hasPassword: boolean
  readonly port: MessagePort
}

/** Functions of the main thread. */
export interface GatewayOwner {
  readonly admit: (reservationId: string, address: string) => Promise<Verdict>
  readonly answerChallenge: (reservationId: string, challenge: Uint8Array) => Promise<Uint8Array | undefined>
  /** Takes the reports of one turn of the event loop. */
  readonly report: (reports: readonly WorkerReport[]) => void
}

/** A connection that began or ended, at a Unix time in milliseconds. */
export interface ConnectionEvent {
  readonly reservationId: string
  /** Unique among open connections. */
  readonly connection: number
  readonly at: number
}
export interface ConnectedReport extends ConnectionEvent {
  /** From the client's admission until its SUT was connected, handshakes included. */
  readonly milliseconds: number
}
/** Bytes that an open connection has forwarded so far. */
export interface CountedReport extends Omit<ConnectionEvent, 'at'> {
  readonly bytesToSut: number
  readonly bytesFromSut: number
}
export interface DisconnectedReport extends ConnectionEvent, CountedReport {
  readonly cause: EndCause
}

/** From the worker. */
export type WorkerReport =
  | ({ readonly kind: 'connected' } & ConnectedReport)
  | ({ readonly kind: 'counted' } & CountedReport)
  | ({ readonly kind: 'disconnected' } & DisconnectedReport)
  | { readonly kind: 'refused'; readonly reservationId: string; readonly reason: string; readonly count: number }
  | ({ readonly kind: 'failed'; readonly reservationId: string } & ConnectionFailure)
  | { readonly kind: 'portTaken'; readonly reservationId: string; readonly port: number; readonly code: string }
  | { readonly kind: 'portOpened'; readonly reservationId: string; readonly port: number }
