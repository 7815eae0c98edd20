import { readFileSync } from 'node:fs'
import { networkOf } from '../domain/values/network.ts'

const ROUTES = '/proc/net/route'
/** `RTF_GATEWAY` of linux/route.h. */
const LEADS_TO_GATEWAY = 2

/** The IPv4 gateways of a routing table as Linux shows it: columns of text, addresses as little-endian hexadecimals. */
export const gatewaysIn = (routes: string): ReadonlySet<string> => {
  const [, ...rows] = routes.split('\n').map((line) => line.split('\t'))
  const gateways = rows.flatMap(([, , gateway = '', flags = '']) =>
    (Number.parseInt(flags, 16) & LEADS_TO_GATEWAY) === 0 ? [] : [Buffer.from(gateway, 'hex').reverse().join('.')],
  )
  return new Set(gateways)
}

const ownGateways = (): ReadonlySet<string> => {
  try {
    return gatewaysIn(readFileSync(ROUTES, 'utf8'))
  } catch {
    // Not Linux.
    return new Set()
  }
}

const LOOPBACK = networkOf('::1', 128)

/**
 * Whether many clients may share an address: loopback, as behind a proxy in TCP mode, or a gateway of this machine, as
 * behind the bridge of a container engine.
 *
 * @param gateways those of this machine unless given
 */
export const makeMayBeShared =
  (gateways = ownGateways()) =>
  (address: string): boolean =>
    networkOf(address, 128) === LOOPBACK || gateways.has(address)
