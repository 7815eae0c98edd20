import type { Readable } from 'node:stream'

/** Calls `act` when a stream has ended; at once if it has already. */
export const onceEnded = (stream: Readable, act: () => void): void => {
  if (stream.readableEnded) act()
  else stream.once('end', act)
}
