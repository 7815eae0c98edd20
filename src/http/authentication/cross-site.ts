/** Detects requests sent by pages of other sites, to which a browser would add stored credentials. */

import type { IncomingMessage } from 'node:http'

/** An origin as browsers send it: without credentials, path and an empty port. */
const ORIGIN = /^https?:\/\/[^/?#@\s]*[^/?#@\s:]$/i

/**
 * Whether a request has an Origin that does not match its Host. On an unencrypted connection the Host has the scheme of
 * the Origin, because a proxy may have terminated TLS.
 */
export const hasForeignOrigin = ({ headers: { origin, host = '' }, socket }: IncomingMessage): boolean => {
  if (origin === undefined) return false
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  const page = ORIGIN.test(origin) ? URL.parse(origin) : null
  return page === null || URL.parse(`${isEncrypted ? 'https:' : page.protocol}//${host}`)?.origin !== page.origin
}

/** Values of Sec-Fetch-Site for requests from elsewhere. */
const FOREIGN = ['cross-site', 'same-site']

/** Only browsers send these headers. Only writes are checked: a page cannot read responses of another site. */
export const isCrossSite = (request: IncomingMessage): boolean => {
  if (request.method !== 'POST') return false
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && FOREIGN.includes(String(site).toLowerCase())) return true
  return hasForeignOrigin(request)
}
