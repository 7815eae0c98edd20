import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { codes, isProblemJsonWanted, problemBody, type Refusal } from './problem.ts'

/** Milliseconds for which a client that has been refused may go on sending: cut off sooner, it may miss the answer. */
const LINGER = 2_000

/** Refuses where there is no response to do it with, in the form that every other refusal has, and ends the connection. */
export const refuseRaw = (socket: Socket, refused: Refusal, instance: string, accept?: string): void => {
  // Gone, or told already: what comes behind is not looked at.
  if (!socket.writable) return
  const body = problemBody(refused, instance)
  const { status } = codes[refused.code]
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: application/${isProblemJsonWanted(accept) ? 'problem+json' : 'json'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${instance}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const late = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(late))
}

/** Decides when a connection may be refused: once, and after what was asked on it before has been answered. */
export interface Turns {
  readonly begun: (request: IncomingMessage, response: ServerResponse) => void
  readonly afterAnswers: (socket: Socket, refuse: () => void) => void
}

export const makeTurns = (): Turns => {
  const last = new WeakMap<Socket, { readonly request: IncomingMessage; readonly response: ServerResponse }>()
  const refused = new WeakSet<Socket>()
  return {
    begun: (request, response) => last.set(request.socket, { request, response }),
    afterAnswers: (socket, refuse) => {
      if (refused.has(socket)) return
      refused.add(socket)
      const before = last.get(socket)
      // A request that has not come whole is itself what is refused.
      if (before?.request.complete && !before.response.writableFinished) before.response.once('finish', refuse)
      else refuse()
    },
  }
}
