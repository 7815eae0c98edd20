import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What becomes of the rest of a request that is answered before it has come whole. */

/** Bytes yet to come for which a connection is kept: they are discarded, and it serves on. */
const LEFT_MAX = 64 * 1024
/** Bytes, and milliseconds, that are discarded of a connection that is closed. */
const DISCARDED_MAX = 256 * 1024
const LINGER = 1_000

/** Bytes that have not arrived, of a body that nothing has been read of; infinite where nobody knows. */
const leftOf = ({ headers, readableLength }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) - readableLength : Infinity

/**
 * Ends a connection in place of Node, which would close it with bytes unread: the client's system would then throw away the
 * answer. What comes is not parsed any more, so that nothing in it can pass for a request.
 */
const linger = (socket: Socket): void => {
  let discarded = 0
  // Node hands a connection's bytes to its parser unseen, until somebody listens.
  socket.on('data', () => undefined)
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => {
    discarded += bytes.length
    if (discarded > DISCARDED_MAX) socket.destroy()
  })
  socket.resume()
  socket.end()
  const late = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(late))
}

/** Says, before the head of an answer is written, what is to become of the connection where the request goes on. */
export const discardUnread = (request: IncomingMessage, response: ServerResponse): void => {
  const { socket } = request
  // A body in chunks may have been held up before it had come.
  if (request.complete) return void (socket.isPaused() && socket.resume())
  if (leftOf(request) > LEFT_MAX) response.shouldKeepAlive = false
  socket.destroySoon = () => linger(socket)
}
