import type { ServerResponse } from 'node:http'

/** A wake-up signal. A ring without a waiter is kept for the next one. */
export interface WakeUpSignal {
  readonly signal: () => void
  readonly wait: () => Promise<void>
}

export const makeWakeUpSignal = (): WakeUpSignal => {
  let isRung = false
  let resume: () => void = () => undefined
  return {
    signal: () => {
      isRung = true
      resume()
    },
    wait: async () => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          resume = resolve
        })
      }
      isRung = false
    },
  }
}

/** A connection that reports backpressure. */
export interface ResponseSink {
  /** When the buffer filled up, as `performance.now()`; undefined while there is room. */
  readonly fullSince: () => number | undefined
  readonly write: (bytes: string | Buffer) => void
}

/** @param onRoom called when the buffer has drained */
export const makeResponseSink = (response: ServerResponse, onRoom: () => void): ResponseSink => {
  let fullSince: number | undefined
  response.on('drain', () => {
    fullSince = undefined
    onRoom()
  })
  return {
    fullSince: () => fullSince,
    write: (bytes) => {
      if (bytes.length > 0 && !response.write(bytes)) fullSince ??= performance.now()
    },
  }
}
