import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { codes, isProblemJsonWanted, problemBody, type Refusal } from '../protocol/problem.ts'
import { linger } from '../request/unread-body.ts'

/**
 * Refuses a connection without a response object, with the usual error body, and closes it. False if the client can no
 * longer be reached.
 */
export const refuseRaw = (socket: Socket, refused: Refusal, instance: string, accept?: string): boolean => {
  // Closed or refused already.
  if (!socket.writable) return false
  const body = problemBody(refused, instance)
  const { status, retryAfter } = codes[refused.code]
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: application/${isProblemJsonWanted(accept) ? 'problem+json' : 'json'}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${instance}`,
    'X-Content-Type-Options: nosniff',
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    ...(refused.code === 'upgrade_required'
      ? ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Connection: Upgrade, close']
      : ['Connection: close']),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  linger(socket)
  return true
}
