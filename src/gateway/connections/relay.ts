import type { Duplex } from 'node:stream'

/** Bytes passed on so far. */
export interface Relay {
  readonly bytesToSut: () => number
  readonly bytesFromSut: () => number
}

/** Chunks that wait to be written. A stream counts bytes, but thousands of single bytes cost megabytes. */
const WAITING_MAX = 256

/** Forwards one direction, its end included. Stops reading while the other side does not take more. */
const forward = (from: Duplex, to: Duplex): (() => number) => {
  let passedOn = 0
  let waiting = 0
  let isPaused = false
  const goOn = (): void => {
    if (!isPaused || waiting >= WAITING_MAX || to.writableNeedDrain) return
    isPaused = false
    from.resume()
  }
  from.on('data', (chunk: Buffer) => {
    waiting++
    const isRoom = to.write(chunk, (error) => {
      waiting--
      if (!error) passedOn += chunk.length
      goOn()
    })
    if (isRoom && waiting < WAITING_MAX) return
    isPaused = true
    from.pause()
  })
  to.on('drain', goOn)
  if (from.readableEnded) to.end()
  else from.once('end', () => to.end())
  from.resume()
  return () => passedOn
}

/** Forwards both ways until both have ended. The caller handles errors. */
export const relay = (client: Duplex, sut: Duplex): Relay => ({
  bytesToSut: forward(client, sut),
  bytesFromSut: forward(sut, client),
})
