/**
 * Where deliveries may go, judged on the address that is connected to: whoever names a host may let it resolve to another
 * address a moment later, and the network of the service reaches more than the client of its API does.
 */

import { BlockList, isIP, SocketAddress } from 'node:net'

type Ranges = readonly (readonly [network: string, prefix: number])[]

const listOf = (ranges: Ranges): BlockList => {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

/** RFC 1918, RFC 4193, and this machine. */
const PRIVATE = listOf([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['::1', 128],
  ['fc00::', 7],
])

/**
 * No receiver is there: unspecified, link-local (where clouds have their metadata), multicast, reserved and broadcast
 * addresses, the metadata of clouds at other addresses, and IPv6 that tunnels to where nobody can tell.
 */
const FORBIDDEN = listOf([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
  ['168.63.129.16', 32],
  ['::', 128],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['2001::', 32],
])

/** IPv6 that stands for IPv4: mapped (RFC 4291), compatible, NAT64 (RFC 6052), and 6to4 (RFC 3056), whose IPv4 is first. */
const EMBEDDED = listOf([
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
  ['2002::', 16],
])

/** The eight groups of an IPv6 address. */
const groupsOf = (address: string): readonly number[] => {
  // A dotted end becomes two groups.
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: readonly string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = hex.split('::')
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, last] = [numbers(head), numbers(tail ?? '')]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** An address without its zone, as IPv4 if it stands for that. */
const plainAddress = (address: string): string => {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const { address: written } = new SocketAddress({ family: 'ipv6', address: bare })
  if (!EMBEDDED.check(written, 'ipv6') || written === '::1' || written === '::') return written
  const groups = groupsOf(written)
  const [high = 0, low = 0] = written.startsWith('2002:') ? groups.slice(1, 3) : groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

export interface AddressRules {
  /** Whether plain HTTP may go to any network, and not to private ones only. */
  readonly isHttpFree: boolean
  /** Whether the service itself listens there. @param address as IPv4 if it stands for that */
  readonly isOwn: (address: string, port: number) => boolean
}

/** Makes the function that says whether a delivery may connect to an address. @param address not a name */
export const makeIsAllowed =
  ({ isHttpFree, isOwn }: AddressRules) =>
  (address: string, port: number, isEncrypted: boolean): boolean => {
    const plain = plainAddress(address)
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(plain) === 0 || FORBIDDEN.check(plain, family) || isOwn(plain, port)) return false
    return isEncrypted || isHttpFree || PRIVATE.check(plain, family)
  }
export type IsAllowed = ReturnType<typeof makeIsAllowed>
