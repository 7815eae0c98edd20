/** Handles the rest of a request that is answered before it has arrived completely. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Remaining bytes up to which they are discarded and the connection is kept. */
const LEFT_MAX = 64 * 1024
/** Bytes discarded, and milliseconds spent, before a connection is closed. */
const DISCARDED_MAX = 256 * 1024
const LINGER_TIMEOUT_MS = 1_000

/** Bytes still to arrive of a body that nothing has been read of; infinite if unknown. */
const leftOf = ({ headers, readableLength }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) - readableLength : Infinity

/**
 * Closes a connection gracefully. Node would close it with unread bytes, and the client's system would then discard the
 * response. Arriving bytes are no longer parsed, so none can pass for a request.
 */
export const linger = (socket: Socket): void => {
  let discarded = 0
  // Node feeds the parser directly until a listener is added.
  socket.on('data', () => undefined)
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => {
    discarded += bytes.length
    if (discarded > DISCARDED_MAX) socket.destroy()
  })
  socket.resume()
  socket.end()
  const late = setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS)
  socket.once('close', () => clearTimeout(late))
}

/** Decides before the response head what happens to a connection whose request is incomplete. */
export const discardUnread = (request: IncomingMessage, response: ServerResponse): void => {
  const { socket } = request
  // The socket may have been paused for a chunked body.
  if (request.complete) return void (socket.isPaused() && socket.resume())
  if (leftOf(request) > LEFT_MAX) response.shouldKeepAlive = false
  else {
    // Both are paused if the body was refused while it was read.
    request.resume()
    socket.resume()
  }
  socket.destroySoon = () => linger(socket)
}
