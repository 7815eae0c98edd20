import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

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
