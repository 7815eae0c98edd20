import type { IncomingMessage } from 'node:http'

/** Which requests a page of another site sent: a browser would add credentials that it remembers to them. */

const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/i
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** Host and port in one spelling; undefined for what is neither. */
const placeOf = (authority: string, scheme: string): string | undefined => {
  const [, host, port] = AUTHORITY.exec(authority) ?? []
  return host && `${host.toLowerCase()}:${port === undefined ? DEFAULT_PORTS[scheme] : Number(port)}`
}

/**
 * Whether an Origin is this Host. On a plain connection a Host without a port takes the scheme of the Origin, as a proxy
 * may have taken the encryption off.
 */
export const isOwnOrigin = (origin: string, host: string, isEncrypted: boolean): boolean => {
  const [, scheme, authority] = ORIGIN.exec(origin.toLowerCase()) ?? []
  if (scheme === undefined || authority === undefined) return false
  const place = placeOf(authority, scheme)
  return place !== undefined && place === placeOf(host, isEncrypted ? 'https' : scheme)
}

/** A browser's own word for whom a request came from, where it has one. */
const FOREIGN = ['cross-site', 'same-site']

/** Programs send neither header. Only what changes something is looked at: no page can read the answer of another site. */
export const isCrossSite = ({ method, headers, socket }: IncomingMessage): boolean => {
  if (method !== 'POST') return false
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && FOREIGN.includes(String(site).toLowerCase())) return true
  return origin !== undefined && !isOwnOrigin(origin, host, 'encrypted' in socket && socket.encrypted === true)
}
