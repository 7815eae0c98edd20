import { isIP, SocketAddress } from 'node:net'

/**
 * The one spelling of an IP address: IPv6 as RFC 5952 has it, without a zone; IPv4 in the clothes of IPv6 as IPv4.
 * Undefined for anything else.
 */
export const plainAddress = (text: string): string | undefined => {
  const version = isIP(text)
  if (version !== 6) return version === 4 ? text : undefined
  const { address } = new SocketAddress({ family: 'ipv6', address: text.replace(/%.*/, '') })
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** Where a request came through, in that order; undefined for one that does not tell its address. */
export type Hops = readonly (string | undefined)[]

const NODE = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([0-9a-f:.]+)\])(?::(?:\d{1,5}|_[\w.-]+))?$/i

/** An address with or without a port, as RFC 7239 writes nodes; neither `unknown` nor `_hidden` tells one. */
const nodeAddress = (node: string): string | undefined => {
  const [, four, six] = NODE.exec(node) ?? []
  return plainAddress(four ?? six ?? '')
}

// A value may also hold what ought to be quoted, like the colon of a port: many proxies write so, and it is as clear.
const PAIR = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([^\s",;\\]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y

/** Reads a Forwarded field (RFC 7239); undefined when it is not well-formed, for then nobody knows where it was cut. */
export const parseForwarded = (field: string): Hops | undefined => {
  const hops: (string | undefined)[] = []
  let element = new Map<string, string>()
  for (PAIR.lastIndex = 0; ; ) {
    const [, name, bare, quoted, end] = PAIR.exec(field) ?? []
    if (end === undefined) return undefined
    if (name !== undefined) {
      if (element.has(name.toLowerCase())) return undefined
      element.set(name.toLowerCase(), bare ?? (quoted as string).replace(/\\(.)/g, '$1'))
    }
    if (end === ';') continue
    if (element.size > 0) hops.push(nodeAddress(element.get('for') ?? ''))
    if (end === '') return hops
    element = new Map()
  }
}

/** Reads an X-Forwarded-For field, which no standard describes: addresses, some with a port, parted by commas. */
export const parseForwardedFor = (field: string): Hops =>
  field
    .split(',')
    .map((node) => node.trim())
    .filter((node) => node !== '')
    .map((node) => plainAddress(node) ?? nodeAddress(node))
