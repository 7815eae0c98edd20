import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Pipelined requests per connection, about 2 KB each. A client that sends more is disconnected. */
const WAITING_MAX = 100

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface QueuedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Called instead of handling the request, if the connection was refused first. */
  refuse?: () => void
}

/** The state of a connection. */
interface ConnectionQueue {
  /** Unfinished requests, in order. */
  readonly open: QueuedRequest[]
  last?: QueuedRequest
  isRefused: boolean
}

/**
 * Handles the pipelined requests of a connection one after the other. Each begins when the previous response has been
 * handed to the operating system. A client that sends without reading therefore costs one response, not many.
 */
export interface RequestQueues {
  readonly take: Handle
  /** Refuses a connection once, after the responses to earlier requests. */
  readonly afterResponses: (socket: Socket, refuse: () => void) => void
  /** Requests without a complete response, in order; the first is being handled. */
  readonly open: (socket: Socket) => readonly { readonly response: ServerResponse }[]
}

export const makeRequestQueues = (handle: Handle): RequestQueues => {
  const queues = new WeakMap<Socket, ConnectionQueue>()

  const queueOf = (socket: Socket): ConnectionQueue => {
    const found = queues.get(socket)
    if (found !== undefined) return found
    const queue: ConnectionQueue = { open: [], isRefused: false }
    queues.set(socket, queue)
    return queue
  }

  const begin = ({ request, response, refuse }: QueuedRequest): void => {
    if (refuse !== undefined) refuse()
    else handle(request, response)
  }

  return {
    take: (request, response) => {
      const { socket } = request
      // Chunks are parsed one by one, however small. Accept no more until somebody reads the body.
      if (!request.complete && request.headers['transfer-encoding'] !== undefined) socket.pause()
      const queue = queueOf(socket)
      const queued: QueuedRequest = { request, response }
      queue.last = queued
      if (queue.open.push(queued) > WAITING_MAX + 1) return void socket.destroy()
      response.once('close', () => {
        queue.open.shift()
        const next = queue.open[0]
        if (next !== undefined && socket.writable) begin(next)
      })
      if (queue.open.length === 1) begin(queued)
    },
    afterResponses: (socket, refuse) => {
      const queue = queueOf(socket)
      if (queue.isRefused) return
      queue.isRefused = true
      const queued = queue.last
      if (queued === undefined) return refuse()
      const isOpen = queue.open.at(-1) === queued
      // An incomplete request is itself refused, unless it has been answered already.
      const isAnswered = queued.request.complete || queued.response.headersSent
      const then = queued.request.complete ? refuse : () => void socket.destroy()
      if (isAnswered && isOpen) queued.response.once('close', then)
      else if (isAnswered) then()
      else if (queue.open[0] === queued) refuse()
      else queued.refuse = refuse
    },
    open: (socket) => queues.get(socket)?.open ?? [],
  }
}

/**
 * Collects requests that arrive in one turn of the event loop and handles them together. Each step then runs for all of
 * them with warm CPU caches, and their responses leave in a row while the client is awake.
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
