import { isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * The canonical form of an IP address: IPv6 without a zone, IPv4-mapped IPv6 as IPv4. Returns anything else unchanged.
 */
export const plainAddress = (text: string): string => {
  if (isIP(text) !== 6) return text
  const { address } = new SocketAddress({ family: 'ipv6', address: text.replace(/%.*/, '') })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** Whether an address and port belong to Berth itself. */
export const isOwnAddress = (address: string, port: number, isOwnPort: (port: number) => boolean): boolean => {
  if (!isOwnPort(port)) return false
  const plain = plainAddress(address)
  // Read each time: interfaces come and go. Few targets share a port with Berth.
  const interfaces = Object.values(networkInterfaces()).flatMap((each = []) => each)
  // Loopback reaches this machine whatever its interfaces are, and the kernel connects an unspecified address to it.
  return /^(?:127|0)\.|^::1?$/.test(plain) || interfaces.some((one) => plainAddress(one.address) === plain)
}
