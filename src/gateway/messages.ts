import type { MessagePort } from 'node:worker_threads'
import type { ConnectionFailure, CutCause, EndCause } from './connections/causes.ts'
import type { Target } from './connections/dial.ts'
import type { Forwarding, LimitReason, Limits, Verdict } from './forwarding.ts'

/** Messages between the main thread and the gateway's worker thread. The worker sends its reports in arrays. */

export interface WorkerOptions extends Limits {
  readonly host: string
  readonly ownPorts: readonly number[]
}

/** To the worker. `call` is the number by which it is answered. */
export type Order =
  | { readonly kind: 'open'; readonly call: number; readonly forwarding: Forwarding }
  | { readonly kind: 'close'; readonly reservationId: string; readonly cause: CutCause }
  | { readonly kind: 'cut'; readonly reservationId: string; readonly cause: CutCause }
  | { readonly kind: 'reconsider'; readonly reservationId: string }
  | ({ readonly kind: 'hold' } & Target)
  | ({ readonly kind: 'release' } & Target)
  | Attach
  | { readonly kind: 'stop' }
  | { readonly kind: 'verdict'; readonly call: number; readonly verdict: Verdict }
  | { readonly kind: 'response'; readonly call: number; readonly response: Uint8Array | undefined }

/** Connects a client in the main thread, as one that the reservation is bound to. */
export interface Attach {
  readonly kind: 'attach'
  readonly call: number
  readonly reservationId: string
  readonly hasPassword: boolean
  readonly port: MessagePort
}

/** A question to the main thread. */
export type Question =
  | { readonly kind: 'admit'; readonly reservationId: string; readonly address: string }
  | { readonly kind: 'challenge'; readonly reservationId: string; readonly challenge: Uint8Array }

/** A connection that began or ended, at a Unix time in milliseconds. */
export interface ConnectionEvent {
  readonly reservationId: string
  /** Unique among open connections. */
  readonly connection: number
  readonly at: number
}
export interface Connected extends ConnectionEvent {
  /** From the client's admission until its SUT was connected, handshakes included. */
  readonly milliseconds: number
}
/** Bytes that an open connection has forwarded so far. */
export interface Counted extends Omit<ConnectionEvent, 'at'> {
  readonly bytesToSut: number
  readonly bytesFromSut: number
}
export interface Ended extends ConnectionEvent, Counted {
  readonly cause: EndCause
}

/** From the worker. */
export type Report =
  | (Question & { readonly call: number })
  | { readonly kind: 'opened'; readonly call: number; readonly isOpen: boolean }
  | { readonly kind: 'attached'; readonly call: number; readonly connection: number }
  | { readonly kind: 'attached'; readonly call: number; readonly refused: LimitReason }
  | ({ readonly kind: 'connected' } & Connected)
  | ({ readonly kind: 'counted' } & Counted)
  | ({ readonly kind: 'disconnected' } & Ended)
  | { readonly kind: 'refused'; readonly reservationId: string; readonly reason: string; readonly count: number }
  | ({ readonly kind: 'failed'; readonly reservationId: string } & ConnectionFailure)
  | { readonly kind: 'portTaken'; readonly reservationId: string; readonly port: number; readonly code: string }
  | { readonly kind: 'portOpened'; readonly reservationId: string; readonly port: number }
