import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Handle } from './pipelining.ts'

/**
 * Handles requests that arrive together together, when the event loop has taken in all of them, so that they go on step by
 * step: what a step needs is then in the processor's caches for all but the first, and their answers leave in a row, while
 * the client is awake.
 */
export const handleInBursts = (handle: Handle): Handle => {
  let arrived: (readonly [IncomingMessage, ServerResponse])[] = []
  const burst = (): void => {
    const requests = arrived
    arrived = []
    for (const [request, response] of requests) handle(request, response)
  }
  return (request, response) => {
    arrived.push([request, response])
    if (arrived.length === 1) setImmediate(burst)
  }
}
