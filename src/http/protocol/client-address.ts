import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { type Hops, listedAddress, nodeAddress, parseForwarded, parseForwardedFor, plainAddress } from './forwarded.ts'

/** All addresses that begin with the same `prefix` bits. */
export interface TrustedRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly prefix: number
}

export interface ClientAddresses {
  /** Whether this peer is a proxy whose word about its clients counts. */
  readonly trusts: (peer: string) => boolean
  /** The address that a request came from, as far as those tell it who are trusted. */
  readonly clientOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string
}

/** The peer of a connection; one that has gone has no address any more. */
export const peerOf = ({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string =>
  plainAddress(remoteAddress ?? '') ?? 'unknown'

/**
 * Whom an address stands for: IPv6 networks are given out as /64, within which everybody has as many addresses as they
 * like.
 */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}

/** @param onUntrusted called for the first request with what a proxy adds from a peer that is not trusted */
export const makeClientAddresses = (
  ranges: readonly TrustedRange[],
  onUntrusted?: (peer: string) => void,
): ClientAddresses => {
  let isReported = onUntrusted === undefined

  const trusted = new BlockList()
  for (const { address, prefix, family } of ranges) trusted.addSubnet(address, prefix, family)
  const trusts = (address: string): boolean =>
    ranges.length > 0 && isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

  /** The nearest that is not trusted, or the last that a trusted one tells of. */
  const nearestUntrusted = (peer: string, hops: Hops, addressOf: (hop: string) => string | undefined): string => {
    let nearest = peer
    for (let i = hops.length - 1; i >= 0 && trusts(nearest); i--) {
      const hop = addressOf(hops[i] as string)
      if (hop === undefined) break
      nearest = hop
    }
    return nearest
  }

  const told = ({ headers }: Pick<IncomingMessage, 'headers'>, peer: string): string => {
    const standard = headers.forwarded
    const older = headers['x-forwarded-for'] as string | undefined
    const addresses = [
      ...(standard === undefined ? [] : [nearestUntrusted(peer, parseForwarded(standard) ?? [], nodeAddress)]),
      ...(older === undefined ? [] : [nearestUntrusted(peer, parseForwardedFor(older), listedAddress)]),
    ]
    // A proxy that writes one of the two passes on the other as the client made it up: what differs tells nothing.
    return addresses.every((address) => address === addresses[0]) ? (addresses[0] ?? peer) : peer
  }

  /** Read once: a request is asked for its address several times. */
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
      const address = known.get(request) ?? told(request, peer)
      known.set(request, address)
      return address
    },
  }
}
