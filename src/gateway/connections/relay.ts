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

export interface Bytes {
  readonly bytesToSut: number
  readonly bytesFromSut: number
}

/**
 * Forwards both ways until both have ended. The caller handles errors. Returns the function that counts the bytes
 * forwarded so far.
 */
export const relay = (client: Duplex, sut: Duplex): (() => Bytes) => {
  const [toSut, fromSut] = [forward(client, sut), forward(sut, client)]
  return () => ({ bytesToSut: toSut(), bytesFromSut: fromSut() })
}
