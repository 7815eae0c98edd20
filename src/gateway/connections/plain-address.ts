import { isIP, SocketAddress } from 'node:net'

/**
 * The canonical form of an IP address: IPv6 without a zone, IPv4-mapped IPv6 as IPv4. Returns anything else unchanged.
 */
export const plainAddress = (text: string): string => {
  if (isIP(text) !== 6) return text
  const { address } = new SocketAddress({ family: 'ipv6', address: text.replace(/%.*/, '') })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
