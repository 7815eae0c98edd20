import type { IncomingHttpHeaders } from 'node:http'

/** What browsers say of their requests. */

/**
 * Over plain HTTP to a host that is not loopback, browsers send no Sec-Fetch-Mode. Navigations have
 * Upgrade-Insecure-Requests there too.
 */
const modeOf = (headers: IncomingHttpHeaders): unknown =>
  headers['sec-fetch-mode'] ?? (headers['upgrade-insecure-requests'] === '1' ? 'navigate' : undefined)

/** Whether a browser sent the request, as far as its header shows. */
export const isOfBrowser = (headers: IncomingHttpHeaders): boolean => modeOf(headers) !== undefined

/** Whether a person opened the address in a browser. */
export const isNavigation = (headers: IncomingHttpHeaders): boolean => modeOf(headers) === 'navigate'
