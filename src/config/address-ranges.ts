import { isIP, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'

/** All addresses that share the first `prefix` bits. */
export interface AddressRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly prefix: number
}

const addressRange = (value: string): AddressRange | undefined => {
  const [, text = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(value) ?? []
  const version = isIP(text)
  if (version === 0) return undefined
  const [family, length] = version === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const)
  const { address } = new SocketAddress({ family, address: text })
  const prefix = bits === undefined ? length : Number(bits)
  // An IPv4-mapped IPv6 range would never match, because addresses of connections are unmapped.
  const isIpv4Mapped = family === 'ipv6' && address.includes('.')
  return !isIpv4Mapped && prefix >= 1 && prefix <= length ? { family, address, prefix } : undefined
}

/** Left completes the sentence "BERTH_TRUSTED_PROXIES ..." without the value. */
export const readAddressRanges = (value: string): E.Either<string, readonly AddressRange[]> => {
  const ranges = value.split(',').map((part) => addressRange(part.trim()))
  return ranges.every((range) => range !== undefined)
    ? E.right(ranges)
    : E.left(
        'must be addresses or ranges like 192.0.2.7, 10.0.0.0/8, fd00::/8, separated by commas, none with a prefix length of 0',
      )
}
