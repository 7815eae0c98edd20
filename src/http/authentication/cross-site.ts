import type { IncomingMessage } from 'node:http'

/** Detects requests sent by pages of other sites, to which a browser would add stored credentials. */

const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/i
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }

/** Host and port, normalised; undefined if invalid. */
const placeOf = (authority: string, scheme: string): string | undefined => {
  const [, host, port] = AUTHORITY.exec(authority) ?? []
  return host && `${host.toLowerCase()}:${port === undefined ? DEFAULT_PORTS[scheme] : Number(port)}`
}

/**
 * Whether an Origin matches the Host. On an unencrypted connection, a Host without a port gets the scheme of the
 * Origin, because a proxy may have terminated TLS.
 */
export const isOwnOrigin = (origin: string, host: string, isEncrypted: boolean): boolean => {
  const [, scheme, authority] = ORIGIN.exec(origin.toLowerCase()) ?? []
  if (scheme === undefined || authority === undefined) return false
  const place = placeOf(authority, scheme)
  return place !== undefined && place === placeOf(host, isEncrypted ? 'https' : scheme)
}

/** Values of Sec-Fetch-Site for requests from elsewhere. */
const FOREIGN = ['cross-site', 'same-site']

/** Only browsers send these headers. Only writes are checked: a page cannot read responses of another site. */
export const isCrossSite = ({ method, headers, socket }: IncomingMessage): boolean => {
  if (method !== 'POST') return false
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && FOREIGN.includes(String(site).toLowerCase())) return true
  return origin !== undefined && !isOwnOrigin(origin, host, 'encrypted' in socket && socket.encrypted === true)
}
