import type { Duplex } from 'node:stream'
import { onceEnded } from './sockets.ts'

/** Maximum chunks waiting to be written. A stream counts bytes, but thousands of single bytes cost megabytes. */
const WAITING_MAX = 256

/** Forwards one direction, including its end. Stops reading while the other side takes no more. */
const forward = (from: Duplex, to: Duplex): (() => number) => {
  let passedOn = 0
  let waiting = 0
  let isPaused = false
  const resumeIfDrained = (): void => {
    if (!isPaused || waiting >= WAITING_MAX || to.writableNeedDrain) return
    isPaused = false
    from.resume()
  }
  from.on('data', (chunk: Buffer) => {
    waiting++
    const hasRoom = to.write(chunk, (error) => {
      waiting--
      if (!error) passedOn += chunk.length
      resumeIfDrained()
    })
    if (hasRoom && waiting < WAITING_MAX) return
    isPaused = true
    from.pause()
  })
  to.on('drain', resumeIfDrained)
  onceEnded(from, () => to.end())
  from.resume()
  return () => passedOn
}

/** Forwards both ways until both have ended. The caller handles errors. */
export const relay = (client: Duplex, sut: Duplex) => ({
  /** Bytes forwarded so far. */
  bytesToSut: forward(client, sut),
  bytesFromSut: forward(sut, client),
})

export type Relay = ReturnType<typeof relay>
