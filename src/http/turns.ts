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
  const lines = new WeakMap<Socket, Turn[]>()
  const last = new WeakMap<Socket, Turn>()
  const refused = new WeakSet<Socket>()

  const lineOf = (socket: Socket): Turn[] => {
    const found = lines.get(socket)
    if (found !== undefined) return found
    const line: Turn[] = []
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
      const line = lineOf(socket)
      const turn: Turn = { request, response }
      last.set(socket, turn)
      if (line.push(turn) > WAITING_MAX + 1) return void socket.destroy()
      response.once('close', () => {
        line.shift()
        const next = line[0]
        if (next !== undefined && socket.writable) begin(next)
      })
      if (line.length === 1) begin(turn)
    },
    afterAnswers: (socket, refuse) => {
      if (refused.has(socket)) return
      refused.add(socket)
      const line = lineOf(socket)
      const turn = last.get(socket)
      if (turn === undefined) return refuse()
      const isOpen = line.at(-1) === turn
      // A request that has not come whole is itself what is refused, unless it has been answered on what had come.
      const isAnswered = turn.request.complete || turn.response.headersSent
      const then = turn.request.complete ? refuse : () => void socket.destroy()
      if (isAnswered && isOpen) turn.response.once('close', then)
      else if (isAnswered) then()
      else if (line[0] === turn) refuse()
      else turn.refuse = refuse
    },
    open: (socket) => lines.get(socket) ?? [],
  }
}
