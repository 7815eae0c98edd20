import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait behind another on their connection; one that has sent more is cut off. About 2 KB each. */
const WAITING_MAX = 100

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface QueuedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What is done in place of handling it, should it be refused before its queued has come. */
  refuse?: () => void
}

/** What there is of a connection. */
interface ConnectionQueue {
  /** The turns that are not over, in order. */
  readonly open: QueuedRequest[]
  last?: QueuedRequest
  isRefused: boolean
}

/**
 * Takes the requests of each connection one after the other: the next is begun when the answer to the one before has been
 * handed to the operating system, so that a client that asks without reading costs one answer, not as many as it asked for.
 */
export interface RequestQueues {
  readonly take: Handle
  /** Refuses a connection, once, and not before what was asked on it has been answered. */
  readonly afterResponses: (socket: Socket, refuse: () => void) => void
  /** Those not answered whole yet, in order; the first is being answered. */
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
      // Its chunks are parsed one by one, however small: no more of them than have come before anybody wants them.
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
      // A request that has not come whole is itself what is refused, unless it has been answered on what had come.
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
