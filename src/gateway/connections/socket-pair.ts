import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { PortStream } from '../bridge/port-stream.ts'
import type { EndCause } from './causes.ts'
import { type Bytes, relay } from './relay.ts'
import { onceEnded, reset } from './sockets.ts'

export interface ConnectionHooks {
  /** Forwarding has begun. */
  readonly onConnected: (bytesSoFar: () => Bytes) => void
  /** Called only after `onConnected`. */
  readonly onDisconnected: (cause: EndCause, bytes: Bytes) => void
  /** Always called, once and last, when nothing of the connection is open any more. */
  readonly onGone: () => void
}

/** Whether a stream closed after both of its directions had ended. */
const isClean = (stream: Duplex): boolean => stream.readableEnded && stream.writableFinished

/** The phase in which bytes are forwarded, and which side ended it. */
const makePassing = (client: Duplex, { onConnected, onDisconnected }: ConnectionHooks) => {
  let bytesSoFar: (() => Bytes) | undefined
  let first: 'client' | 'sut' | undefined

  const note = (stream: Duplex, side: 'client' | 'sut'): void =>
    onceEnded(stream, () => {
      first ??= side
    })

  return {
    begin: (sut: Duplex): void => {
      note(client, 'client')
      note(sut, 'sut')
      bytesSoFar = relay(client, sut)
      onConnected(bytesSoFar)
    },
    /** What counts as the cause of an end. */
    causeOf: (cause: EndCause): EndCause => (cause === 'client' || cause === 'sut' ? (first ?? cause) : cause),
    end: (cause: EndCause): void => {
      if (bytesSoFar !== undefined) onDisconnected(cause, bytesSoFar())
    },
  }
}

/** The two sides of a connection. Either side or Berth may end it at any time. */
export const makeSocketPair = (client: Duplex, hooks: ConnectionHooks) => {
  const passing = makePassing(client, hooks)
  let sut: Socket | undefined
  let isHeld = false
  let hasClientLeft = false
  const over = new AbortController()

  /** Resets only the SUT's side. */
  const dropSut = (): void => {
    const dropped = sut
    sut = undefined
    if (dropped !== undefined) reset(dropped)
  }

  /** Ends the connection with RST on both sides, once. */
  const end = (cause: EndCause): void => {
    if (over.signal.aborted) return
    hasClientLeft ||= cause === 'client'
    if (isHeld && (cause === 'client' || cause === 'sut')) return
    over.abort()
    const counted = passing.causeOf(cause)
    if (client instanceof PortStream) client.cut(counted)
    else reset(client)
    dropSut()
    passing.end(counted)
    hooks.onGone()
  }

  /** An error ends both sides. A side that has closed cleanly does not: the other may have more to take. */
  const watch = (stream: Duplex, side: 'client' | 'sut'): void => {
    const isDropped = (): boolean => stream !== client && stream !== sut
    const isLast = (): boolean => client.destroyed && sut?.destroyed !== false
    stream.on('error', () => isDropped() || end(side))
    stream.once('close', () => {
      if (!isDropped() && (!isClean(stream) || isLast())) end(side)
    })
  }
  watch(client, 'client')

  /** Adds the SUT's side. If the connection has ended meanwhile, resets it and returns false. */
  const addSut = (reached: Socket): boolean => {
    sut = reached
    watch(reached, 'sut')
    if (over.signal.aborted) dropSut()
    return !over.signal.aborted
  }

  /**
   * Postpones the end by either side until `pending` settles: a client that leaves is noticed afterwards, and the
   * handshake reports what the SUT does.
   */
  const holding = async <A>(pending: Promise<A>): Promise<A> => {
    isHeld = true
    try {
      return await pending
    } finally {
      isHeld = false
      if (hasClientLeft) end('client')
    }
  }

  return {
    ...{ end, over: over.signal, addSut, dropSut, holding },
    isOver: (): boolean => over.signal.aborted,
    /** Whether its end by either side is postponed. */
    isHeld: (): boolean => isHeld,
    /** Whether the client has left, also before the connection ends for that. */
    hasClientLeft: (): boolean => hasClientLeft,
    /** Forwards from now on. */
    pass: passing.begin,
  }
}

export type SocketPair = ReturnType<typeof makeSocketPair>
