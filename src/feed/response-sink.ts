import type { ServerResponse } from 'node:http'

export type WakeUpSignal = ReturnType<typeof makeWakeUpSignal>

/** A wake-up signal. One without a waiter is kept for the next. */
export const makeWakeUpSignal = () => {
  let signalled = Promise.withResolvers<void>()
  return {
    signal: (): void => signalled.resolve(),
    wait: async (): Promise<void> => {
      await signalled.promise
      signalled = Promise.withResolvers()
    },
  }
}

export type ResponseSink = ReturnType<typeof makeResponseSink>

/**
 * A connection that reports backpressure.
 *
 * @param onRoom called when the buffer has drained
 */
export const makeResponseSink = (response: ServerResponse, onRoom: () => void) => {
  let fullSince: number | undefined
  response.on('drain', () => {
    fullSince = undefined
    onRoom()
  })
  return {
    /** When the buffer filled up, as `performance.now()`; undefined while there is room. */
    fullSince: (): number | undefined => fullSince,
    write: (bytes: string | Buffer): void => {
      if (bytes.length > 0 && !response.write(bytes)) fullSince ??= performance.now()
    },
  }
}
