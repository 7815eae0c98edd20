const LOOPBACK = '127.0.0.1'

/** The first `prefix` bits of an IPv6 address as eight groups, the others zero. */
const maskIPv6 = (address: string, prefix: number): string => {
  const [head = '', tail = ''] = address.split('::')
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = address.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  const masked = [...first, ...zeros, ...last].map((group, n) => {
    const kept = Math.min(Math.max(prefix - n * 16, 0), 16)
    return (Number.parseInt(group, 16) & (0xffff << (16 - kept)) & 0xffff).toString(16)
  })
  return masked.join(':')
}

/**
 * What counts as one client address: every loopback address is the same machine, and of IPv6 the first bits count.
 *
 * @param address in canonical form, IPv4-mapped IPv6 as IPv4
 * @param ipv6Prefix bits of an IPv6 address that count, 1 to 128
 */
export const networkOf = (address: string, ipv6Prefix: number): string => {
  if (address === '::1' || /^127\.[\d.]+$/.test(address)) return LOOPBACK
  return address.includes(':') && ipv6Prefix < 128 ? maskIPv6(address, ipv6Prefix) : address
}
