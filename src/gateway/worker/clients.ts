import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Answering } from '../../concurrency/answer-calls.ts'
import { within } from '../../concurrency/waits.ts'
import { plainAddress } from '../connections/addresses.ts'
import { type ConnectionOptions, openConnection } from '../connections/connection.ts'
import { reset } from '../connections/sockets.ts'
import type { ForwardingLimits, GatewayOwner, LimitReason } from '../messages.ts'
import { cutOldest, type ForwardedReservation } from './entry.ts'
import type { ConnectionRefusals } from './refusal-counts.ts'

/** Milliseconds for an answer of the main thread. At most one question is open for each connection. */
export const ANSWER_TIMEOUT_MS = 10_000
/** A machine that closes a connection this early, without having sent anything, refuses it. */
const REFUSAL_WINDOW_MS = 2_000

/** What all forwardings of the thread share. */
export interface Shared extends Pick<ConnectionOptions, 'isOwn'> {
  readonly limits: ForwardingLimits
  readonly main: Answering<GatewayOwner>
  readonly refusals: ConnectionRefusals
  /** Connections of all reservations, including those waiting for a verdict. */
  open: number
  /** The number of the last connection. */
  last: number
}

interface Client {
  readonly stream: Duplex
  /** Undefined for a client in the main thread, which is admitted by other means. */
  readonly address: string | undefined
  readonly isBound: boolean
  readonly hasPassword: boolean
}

/** Connects an admitted client to its SUT, and reports the connection. */
const connect = (shared: Shared, entry: ForwardedReservation, client: Client): void => {
  const { limits, main, refusals, isOwn } = shared
  const { stream, address, isBound, hasPassword } = client
  const { forwarding, connections } = entry
  const { reservationId, protocol } = forwarding
  const connection = ++shared.last
  const began = performance.now()
  const respond = (challenge: Uint8Array) =>
    within(ANSWER_TIMEOUT_MS, main.call('answerChallenge', [reservationId, challenge]), undefined)
  let counting: NodeJS.Timeout | undefined
  shared.open++
  const opened = openConnection(
    stream,
    {
      target: forwarding,
      timeoutMs: limits.connectTimeoutMs,
      handshakeTimeoutMs: limits.handshakeTimeoutMs,
      isOwn,
      makeRoom: () => cutOldest(entry, connection),
      respond: isBound && hasPassword && protocol === 'vnc' ? respond : undefined,
    },
    {
      onConnected: (bytes) => {
        main.tell('onConnected', [{ reservationId, connection, milliseconds: performance.now() - began }])
        let reported = 0
        counting = setInterval(() => {
          const counted = bytes()
          const sum = counted.bytesToSut + counted.bytesFromSut
          if (sum > reported) main.tell('onCounted', [{ reservationId, connection, ...counted }])
          reported = sum
        }, limits.countEveryMs)
      },
      onDisconnected: (cause, bytes) => {
        clearInterval(counting)
        // A machine for one viewer may accept others and close at once. The next one then finds room.
        const isRefused = cause === 'sut' && bytes.bytesFromSut === 0 && performance.now() - began < REFUSAL_WINDOW_MS
        if (isRefused) cutOldest(entry, connection)
        main.tell('onDisconnected', [{ reservationId, connection, cause, ...bytes }])
      },
      onFailed: (failure) => refusals.failed(reservationId, failure),
      onGone: () => {
        shared.open--
        connections.delete(connection)
      },
    },
  )
  connections.set(connection, { connection: opened, address, isBound })
}

/** Why another connection is refused. At a limit it takes the place of the oldest of its reservation. */
const limitOf = ({ open, limits }: Shared, entry: ForwardedReservation): LimitReason | undefined => {
  if (entry.isOver) return 'over'
  const isFull = open >= limits.connectionsMax
  if (!isFull && entry.connections.size < limits.connectionsOfOneMax) return undefined
  return cutOldest(entry) ? undefined : 'full'
}

const refuse = ({ refusals }: Shared, entry: ForwardedReservation, socket: Socket, reason: string): void => {
  reset(socket)
  refusals.refused(entry.forwarding.reservationId, reason)
}

const admit = async (shared: Shared, entry: ForwardedReservation, socket: Socket, address: string): Promise<void> => {
  // It counts as open while its verdict is awaited, unless it closes.
  const leave = (): void => {
    if (entry.undecided.delete(socket)) shared.open--
  }
  shared.open++
  entry.undecided.add(socket)
  socket.once('close', leave)
  const verdict = await entry.admissions.verdictFor(address)
  leave()
  socket.off('close', leave)
  if (socket.destroyed) return
  const refused = verdict.admitted ? limitOf(shared, entry) : verdict.reason
  if (verdict.admitted && refused === undefined) connect(shared, entry, { ...verdict, stream: socket, address })
  else refuse(shared, entry, socket, String(refused))
}

/** Connects a socket or resets it. */
export const accept = (shared: Shared, entry: ForwardedReservation, socket: Socket): void => {
  socket.on('error', () => undefined)
  // Undefined if the client has already left.
  const address = plainAddress(socket.remoteAddress ?? '')
  const isFull = shared.open >= shared.limits.connectionsMax && entry.connections.size === 0
  if (address === '') reset(socket)
  else if (entry.isOver || isFull) refuse(shared, entry, socket, (entry.isOver ? 'over' : 'full') satisfies LimitReason)
  else void admit(shared, entry, socket, address)
}

/** Connects a client in the main thread. Returns why it is not, if so. */
export const attach = (
  shared: Shared,
  entry: ForwardedReservation,
  stream: Duplex,
  hasPassword: boolean,
): LimitReason | undefined => {
  const refused = limitOf(shared, entry)
  if (refused === undefined) connect(shared, entry, { stream, address: undefined, isBound: true, hasPassword })
  return refused
}
