import { once } from 'node:events'
import { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'

/** Options of both sockets of a connection. */
export const SOCKET_OPTIONS = {
  allowHalfOpen: true,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  /**
   * Bytes at which a side stops reading for the other, before and after it; a read adds at most 64 KiB. Together they
   * bound the memory of a direction to 256 KiB.
   */
  highWaterMark: 65_536,
}

/** Whether shutdown(2) has been requested and not yet called, which the event loop does in its next turn. */
const isShuttingDown = ({ writableEnded, writableFinished, writableLength }: Socket): boolean =>
  writableEnded && !writableFinished && writableLength === 0

/** Ends a connection at once with RST, dropping what has not been sent. Other streams are destroyed. */
export const reset = (stream: Duplex): void => {
  if (stream.destroyed) return
  if (!(stream instanceof Socket) || stream.connecting) stream.destroy()
  // libuv refuses to reset such a socket, and would leak its descriptor.
  else if (isShuttingDown(stream)) stream.once('finish', () => stream.destroyed || stream.resetAndDestroy())
  else stream.resetAndDestroy()
}

/** Ends a stream, after `last`, and waits so long at most until the other side has closed it too. */
export const endNoticed = async (stream: Duplex, timeoutMs: number, last?: Uint8Array): Promise<void> => {
  if (stream.destroyed) return
  // Read on: closing with unread bytes resets the connection, and what was sent may be lost.
  stream.on('data', () => undefined).resume()
  stream.end(last)
  await once(stream, 'close', { signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined)
}

/** Calls `act` when a stream has ended; at once if it has already. */
export const onceEnded = (stream: Readable, act: () => void): void => {
  if (stream.readableEnded) act()
  else stream.once('end', act)
}
