import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'
import { networkOf } from '../../domain/values/network.ts'

/**
 * The canonical form of an IP address: IPv6 as in RFC 5952 without a zone, IPv4-mapped IPv6 as IPv4. Undefined for
 * anything else.
 */
export const parseAddress = (text: string): string | undefined => {
  const version = isIP(text)
  if (version !== 6) return version === 4 ? text : undefined
  const { address } = new SocketAddress({ family: 'ipv6', address: text.replace(/%.*/, '') })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** The reported hops of a request, in order, as written. */
export type Hops = readonly string[]

/** Characters of a Forwarded field that are read. A chain of ten proxies writes a thousand. */
const FORWARDED_MAX = 8_192
/** Nearest hops that are read. No chain of proxies is longer. */
const HOPS_MAX = 64

const NODE = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-f:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/i

/** The address of an RFC 7239 node, with or without a port; undefined for `unknown` and `_hidden`. */
export const nodeAddress = (node: string): string | undefined => {
  const [, four, six] = NODE.exec(node) ?? []
  return parseAddress(four ?? six ?? '')
}

/** The same for X-Forwarded-For, where IPv6 needs no brackets. */
export const listedAddress = (node: string): string | undefined => parseAddress(node) ?? nodeAddress(node)

// Many proxies leave values unquoted that should be quoted, such as the colon of a port. They are unambiguous and
// accepted.
const PAIR = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([^\s",;\\]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y

/** Parses a Forwarded field (RFC 7239). Undefined if malformed, because it may have been truncated anywhere. */
export const parseForwarded = (field: string): Hops | undefined => {
  if (field.length > FORWARDED_MAX) return undefined
  const hops: string[] = []
  let element = new Map<string, string>()
  for (PAIR.lastIndex = 0; ; ) {
    const [, name, bare, quoted, end] = PAIR.exec(field) ?? []
    if (end === undefined) return undefined
    if (name !== undefined) {
      if (element.has(name.toLowerCase())) return undefined
      element.set(name.toLowerCase(), bare ?? (quoted as string).replace(/\\(.)/g, '$1'))
    }
    if (end === ';') continue
    if (element.size > 0) hops.push(element.get('for') ?? '')
    if (end === '') return hops.slice(-HOPS_MAX)
    element = new Map()
  }
}

/** Parses an X-Forwarded-For field, which no standard describes: comma-separated addresses, some with a port. */
export const parseForwardedFor = (field: string): Hops => {
  const hops: string[] = []
  for (let end = field.length; end >= 0 && hops.length < HOPS_MAX; ) {
    const comma = end === 0 ? -1 : field.lastIndexOf(',', end - 1)
    const node = field.slice(comma + 1, end).trim()
    if (node !== '') hops.push(node)
    end = comma
  }
  return hops.toReversed()
}

/** All addresses that share the first `prefix` bits. */
export interface TrustedRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly prefix: number
}

export interface ClientAddresses {
  /** Whether this peer is a proxy whose forwarding headers are trusted. */
  readonly trusts: (peer: string) => boolean
  /** The address of the client, as far as trusted proxies report it. */
  readonly clientOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string
}

/** The peer of a connection; empty once it has closed. */
export const peerOf = ({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string =>
  parseAddress(remoteAddress ?? '') ?? 'unknown'

/** Bits of an IPv6 address that count: within a /64 anyone can have many addresses. */
const IPV6_PREFIX = 64

/** What is limited as one client. */
export const clientNetworkOf = (address: string): string => networkOf(address, IPV6_PREFIX)

/** @param onUntrusted called for the first request with forwarding headers from an untrusted peer */
export const makeClientAddresses = (
  ranges: readonly TrustedRange[],
  onUntrusted?: (peer: string) => void,
): ClientAddresses => {
  let isReported = onUntrusted === undefined

  const trusted = new BlockList()
  for (const { address, prefix, family } of ranges) trusted.addSubnet(address, prefix, family)
  const trusts = (address: string): boolean =>
    ranges.length > 0 && isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

  /** The nearest untrusted hop, or the farthest one reported. */
  const nearestUntrusted = (peer: string, hops: Hops, addressOf: (hop: string) => string | undefined): string => {
    let nearest = peer
    for (let i = hops.length - 1; i >= 0 && trusts(nearest); i--) {
      const hop = addressOf(hops[i] as string)
      if (hop === undefined) break
      nearest = hop
    }
    return nearest
  }

  const clientFor = ({ headers }: Pick<IncomingMessage, 'headers'>, peer: string): string => {
    const standard = headers.forwarded
    const older = headers['x-forwarded-for'] as string | undefined
    const addresses = [
      ...(standard === undefined ? [] : [nearestUntrusted(peer, parseForwarded(standard) ?? [], nodeAddress)]),
      ...(older === undefined ? [] : [nearestUntrusted(peer, parseForwardedFor(older), listedAddress)]),
    ]
    // A proxy that sets one header passes on the other as the client sent it. Values that differ are not trusted.
    return addresses.every((address) => address === addresses[0]) ? (addresses[0] ?? peer) : peer
  }

  /** Cached, because a request needs its address several times. */
  const known = new WeakMap<object, string>()

  return {
    trusts,
    clientOf: (request) => {
      const { headers, socket } = request
      const peer = peerOf(socket)
      if (!trusts(peer)) {
        if (!isReported && (headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined)) {
          isReported = true
          onUntrusted?.(peer)
        }
        return peer
      }
      const address = known.get(request) ?? clientFor(request, peer)
      known.set(request, address)
      return address
    },
  }
}
