import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import type { ConsoleLimits } from './bridge.ts'
import { SUBPROTOCOL } from './handshake.ts'

/** Completes the handshake of a request that has been checked; undefined if the client has left meanwhile. */
export type Accept = (
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  requestId: string,
) => WebSocket | undefined

export const makeAccept = ({ messageMax: maxPayload, closeWithin: closeTimeout }: ConsoleLimits): Accept => {
  const requestIds = new WeakMap<IncomingMessage, string>()
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    // One message per turn of the event loop, because thousands may arrive at once.
    allowSynchronousEvents: false,
    handleProtocols: () => SUBPROTOCOL,
    closeTimeout,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers, request) => headers.push(`X-Request-Id: ${requestIds.get(request)}`))
  // Everything has been checked before.
  server.on('wsClientError', (_, socket) => socket.destroy())
  return (request, socket, head, requestId) => {
    let opened: WebSocket | undefined
    requestIds.set(request, requestId)
    server.handleUpgrade(request, socket, head, (made) => {
      opened = made
    })
    return opened
  }
}
