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

/** Nearest hops that are read. No chain of proxies is longer. */
const HOPS_MAX = 64

/** An address with a port, as some proxies write it. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-f:.]+)\])(?::\d{1,5})?$/i

/** The address of a hop, with or without a port. */
const hopAddress = (hop: string): string | undefined => {
  const [, four, six] = WITH_PORT.exec(hop) ?? []
  return parseAddress(four ?? six ?? hop)
}

/** All addresses that share the first `prefix` bits. */
export interface TrustedRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly prefix: number
}

/** The peer of a connection; empty once it has closed. */
export const peerOf = ({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string =>
  parseAddress(remoteAddress ?? '') ?? 'unknown'

/** Bits of an IPv6 address that count: within a /64 anyone can have many addresses. */
const IPV6_PREFIX = 64

/** What is limited as one client. */
export const clientNetworkOf = (address: string): string => networkOf(address, IPV6_PREFIX)

/** @param onUntrusted called for the first request with X-Forwarded-For from an untrusted peer */
export const makeClientAddresses = (ranges: readonly TrustedRange[], onUntrusted?: (peer: string) => void) => {
  let isReported = false

  const trusted = new BlockList()
  for (const { address, prefix, family } of ranges) trusted.addSubnet(address, prefix, family)
  /** Whether this peer is a proxy whose X-Forwarded-For is trusted. */
  const trusts = (address: string): boolean =>
    ranges.length > 0 && isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

  /** The nearest hop that is no trusted proxy, or the farthest. What a client has sent itself lies beyond that. */
  const clientFor = (peer: string, forwardedFor: string): string => {
    let nearest = peer
    for (const hop of forwardedFor.split(',').slice(-HOPS_MAX).toReversed()) {
      const text = hop.trim()
      if (text === '') continue
      const address = trusts(nearest) ? hopAddress(text) : undefined
      if (address === undefined) break
      nearest = address
    }
    return nearest
  }

  /** Cached, because a request needs its address several times. */
  const known = new WeakMap<object, string>()

  return {
    trusts,
    /** The address of the client, as far as trusted proxies report it. */
    clientOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>): string => {
      const peer = peerOf(request.socket)
      const forwardedFor = request.headers['x-forwarded-for'] as string | undefined
      if (forwardedFor === undefined) return peer
      if (!trusts(peer)) {
        if (!isReported) onUntrusted?.(peer)
        isReported = true
        return peer
      }
      const address = known.get(request) ?? clientFor(peer, forwardedFor)
      known.set(request, address)
      return address
    },
  }
}
export type ClientAddresses = ReturnType<typeof makeClientAddresses>
