import type { Duplex } from 'node:stream'

/** Bytes forwarded so far. */
export interface Relay {
  readonly bytesToSut: () => number
  readonly bytesFromSut: () => number
}

/** Forwards one direction, including its end. Stops reading while the other side takes no more. */
const forward = (from: Duplex, to: Duplex): (() => number) => {
  let passedOn = 0
  from.on('data', (chunk: Buffer) => {
    const hasRoom = to.write(chunk, (error) => {
      if (!error) passedOn += chunk.length
    })
    if (!hasRoom) from.pause()
  })
  to.on('drain', () => from.resume())
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
