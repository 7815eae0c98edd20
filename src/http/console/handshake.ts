/** The opening handshake of a WebSocket (RFC 6455, section 4.2). */

import type { IncomingMessage } from 'node:http'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import { hasForeignOrigin } from '../authentication/cross-site.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { ConsoleLimits } from './bridge.ts'

/** The subprotocol that viewers use for RFB over WebSocket. */
const SUBPROTOCOL = 'binary'

/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The path of consoles, to be followed by a ticket. */
export const CONSOLE_PATH = '/api/console/'

/**
 * Whether a request is to be upgraded. Others are answered as if they had not asked for it. HTTP/1.0 has no upgrades
 * (RFC 9110, section 7.8).
 */
export const isForConsole = ({ method, url = '', headers, httpVersion }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  httpVersion !== '1.0' &&
  url.startsWith(CONSOLE_PATH) &&
  !url.includes('?')

const malformation = ({ headers }: IncomingMessage): string | undefined => {
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0) {
    return 'An upgrade cannot have a body.'
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return 'Sec-WebSocket-Key must be 16 bytes in base64.'
  const names = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [SUBPROTOCOL]
  if (!names.every((name) => TOKEN.test(name)) || new Set(names).size < names.length) {
    return 'Sec-WebSocket-Protocol must be different names, separated by commas.'
  }
  return names.includes(SUBPROTOCOL)
    ? undefined
    : `The only supported subprotocol is ${SUBPROTOCOL}. Offer it, or none.`
}

/** Why a handshake cannot be completed, whatever its ticket is. */
export const handshakeProblem = (request: IncomingMessage): Refusal | undefined => {
  if (request.headers['sec-websocket-version'] !== '13')
    return refusal('upgrade_required', 'The only supported version of WebSocket is 13.')
  if (hasForeignOrigin(request)) return refusal('cross_site', 'A page of another site sent this request.')
  const detail = malformation(request)
  return detail === undefined ? undefined : refusal('malformed_request', detail)
}

/** Returns a function that completes the handshake of a request that has been checked, unless the client has left. */
export const makeAccept = ({ messageMax: maxPayload, closeWithin: closeTimeout }: ConsoleLimits) => {
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
  return (request: IncomingMessage, head: Buffer, requestId: string): WebSocket | undefined => {
    let opened: WebSocket | undefined
    requestIds.set(request, requestId)
    server.handleUpgrade(request, request.socket, head, (webSocket) => {
      opened = webSocket
    })
    return opened
  }
}
