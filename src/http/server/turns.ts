import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that may wait behind another on their connection; one that has sent more is cut off. About 2 KB each. */
const WAITING_MAX = 100

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface Turn {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What is done in place of handling it, should it be refused before its turn has come. */
  refuse?: () => void
}

/** What there is of a connection. */
interface Line {
  /** The turns that are not over, in order. */
  readonly open: Turn[]
  last?: Turn
  isRefused: boolean
}

/**
 * Takes the requests of each connection one after the other: the next is begun when the answer to the one before has been
 * handed to the operating system, so that a client that asks without reading costs one answer, not as many as it asked for.
 */
export interface Turns {
  readonly take: Handle
  /** Refuses a connection, once, and not before what was asked on it has been answered. */
  readonly afterAnswers: (socket: Socket, refuse: () => void) => void
  /** Those not answered whole yet, in order; the first is being answered. */
  readonly open: (socket: Socket) => readonly { readonly response: ServerResponse }[]
}

export const makeTurns = (handle: Handle): Turns => {
  const lines = new WeakMap<Socket, Line>()

  const lineOf = (socket: Socket): Line => {
    const found = lines.get(socket)
    if (found !== undefined) return found
    const line: Line = { open: [], isRefused: false }
    lines.set(socket, line)
    return line
  }

  const begin = ({ request, response, refuse }: Turn): void => {
    if (refuse !== undefined) refuse()
    else handle(request, response)
  }

  return {
    take: (request, response) => {
      const { socket } = request
      // Its chunks are parsed one by one, however small: no more of them than have come before anybody wants them.
      if (!request.complete && request.headers['transfer-encoding'] !== undefined) socket.pause()
      const line = lineOf(socket)
      const turn: Turn = { request, response }
      line.last = turn
      if (line.open.push(turn) > WAITING_MAX + 1) return void socket.destroy()
      response.once('close', () => {
        line.open.shift()
        const next = line.open[0]
        if (next !== undefined && socket.writable) begin(next)
      })
      if (line.open.length === 1) begin(turn)
    },
    afterAnswers: (socket, refuse) => {
      const line = lineOf(socket)
      if (line.isRefused) return
      line.isRefused = true
      const turn = line.last
      if (turn === undefined) return refuse()
      const isOpen = line.open.at(-1) === turn
      // A request that has not come whole is itself what is refused, unless it has been answered on what had come.
      const isAnswered = turn.request.complete || turn.response.headersSent
      const then = turn.request.complete ? refuse : () => void socket.destroy()
      if (isAnswered && isOpen) turn.response.once('close', then)
      else if (isAnswered) then()
      else if (line.open[0] === turn) refuse()
      else turn.refuse = refuse
    },
    open: (socket) => lines.get(socket)?.open ?? [],
  }
}
