import type { Duplex } from 'node:stream'
import type { PendingCalls } from '../../concurrency/calls.ts'
import { openConnection } from '../connections/connection.ts'
import type { GatewayOwner, GatewayWorkerOptions } from '../messages.ts'
import { type Admitted, cutOldest, type ForwardedReservation } from './entry.ts'
import type { ConnectionRefusals } from './refusal-counts.ts'

/** Number of connections of all reservations, including those waiting for a verdict. */
export interface OpenCount {
  open: number
}

export interface ConnectOptions {
  readonly limits: Pick<GatewayWorkerOptions, 'connectTimeoutMs' | 'handshakeTimeoutMs' | 'countEveryMs'>
  readonly count: OpenCount
  readonly isOwn: (address: string, port: number) => boolean
  /** The response to a challenge of VNC Authentication, which the main thread knows. */
  readonly respond: (reservationId: string, challenge: Uint8Array) => Promise<Uint8Array | undefined>
  readonly refusals: ConnectionRefusals
  readonly tell: PendingCalls<GatewayOwner>['tell']
}

/** A machine that closes a connection this early, without having sent anything, refuses it. */
const REFUSAL_WINDOW_MS = 2_000

export interface Client {
  readonly stream: Duplex
  /** Undefined for a client in the main thread, which is admitted by other means. */
  readonly address: string | undefined
  readonly isBound: boolean
  /** Whether the vault has a password of the SUT. */
  readonly hasPassword: boolean
}

/** Connects admitted clients to their SUTs and reports each connection. */
export const makeConnectClient = (options: ConnectOptions) => {
  const { limits, count, isOwn, respond, refusals, tell } = options
  let last = 0

  return (entry: ForwardedReservation, { stream, address, isBound, hasPassword }: Client): void => {
    const { forwarding, connections } = entry
    const { reservationId, protocol } = forwarding
    const isAuthenticated = isBound && hasPassword && protocol === 'vnc'
    const connection = ++last
    const began = performance.now()
    let counting: NodeJS.Timeout | undefined
    count.open++
    const opened = openConnection(
      stream,
      {
        target: forwarding,
        timeoutMs: limits.connectTimeoutMs,
        handshakeTimeoutMs: limits.handshakeTimeoutMs,
        isOwn,
        makeRoom: () => cutOldest(entry, connection),
        respond: isAuthenticated ? (challenge) => respond(reservationId, challenge) : undefined,
      },
      {
        onConnected: (bytes) => {
          tell('onConnected', [{ reservationId, connection, milliseconds: performance.now() - began }])
          let reported = 0
          counting = setInterval(() => {
            const counted = bytes()
            const sum = counted.bytesToSut + counted.bytesFromSut
            if (sum > reported) tell('onCounted', [{ reservationId, connection, ...counted }])
            reported = sum
          }, limits.countEveryMs)
        },
        onDisconnected: (cause, bytes) => {
          clearInterval(counting)
          // A machine for one viewer may accept others and close at once. The next one then finds room.
          const isRefused = cause === 'sut' && bytes.bytesFromSut === 0 && performance.now() - began < REFUSAL_WINDOW_MS
          if (isRefused) cutOldest(entry, connection)
          tell('onDisconnected', [{ reservationId, connection, cause, ...bytes }])
        },
        onFailed: (failure) => refusals.failed(reservationId, failure),
        onGone: () => {
          count.open--
          connections.delete(connection)
        },
      },
    )
    connections.set(connection, { connection: opened, address, isBound } satisfies Admitted)
  }
}
