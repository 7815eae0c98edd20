import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkOf } from '../../domain/values/network.ts'
import { type Hops, listedAddress, nodeAddress, parseAddress, parseForwarded, parseForwardedFor } from './forwarded.ts'

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
