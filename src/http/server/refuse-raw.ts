import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { codes, isProblemJsonWanted, problemBody, type Refusal } from '../protocol/problem.ts'

/** Milliseconds for which a client that has been refused may go on sending: cut off sooner, it may miss the answer. */
const LINGER = 2_000

/**
 * Refuses where there is no response to do it with, in the form that every other refusal has, and ends the connection.
 * False when nobody can be told any more.
 */
export const refuseRaw = (socket: Socket, refused: Refusal, instance: string, accept?: string): boolean => {
  // Gone, or told already: what comes behind is not looked at.
  if (!socket.writable) return false
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
  return true
}
