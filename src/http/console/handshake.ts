import type { IncomingMessage } from 'node:http'
import { isOwnOrigin } from '../authentication/cross-site.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'

/** Checks of a WebSocket's opening handshake (RFC 6455, section 4.2.1). */

/** The subprotocol that viewers use for RFB over WebSocket. */
export const SUBPROTOCOL = 'binary'

/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** HTTP/1.0 has no upgrades (RFC 9110, section 7.8). */
export const isWebSocket = ({ method, headers, httpVersion }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && httpVersion !== '1.0'

export const wrongVersion = ({ headers }: IncomingMessage): Refusal | undefined =>
  headers['sec-websocket-version'] === '13'
    ? undefined
    : refusal('upgrade_required', 'The only supported version of WebSocket is 13.')

export const crossSite = ({ headers, socket }: IncomingMessage): Refusal | undefined => {
  const { origin, host = '' } = headers
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  if (origin === undefined || isOwnOrigin(origin, host, isEncrypted)) return undefined
  return refusal('cross_site', 'A page of another site sent this request.')
}

export const malformed = ({ headers }: IncomingMessage): Refusal | undefined => {
  const wrong = (detail: string): Refusal => refusal('malformed_request', detail)
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0) {
    return wrong('An upgrade cannot have a body.')
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return wrong('Sec-WebSocket-Key must be 16 bytes in base64.')
  const offered = headers['sec-websocket-protocol']
  if (offered === undefined) return undefined
  const names = offered.split(',').map((name) => name.trim())
  if (!names.every((name) => TOKEN.test(name)) || new Set(names).size < names.length) {
    return wrong('Sec-WebSocket-Protocol must be different names, separated by commas.')
  }
  if (names.includes(SUBPROTOCOL)) return undefined
  return wrong(`The only supported subprotocol is ${SUBPROTOCOL}. Offer it, or none.`)
}
