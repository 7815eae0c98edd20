/**
 * Host names (RFC 1123) and IP addresses as a single pattern. A JSON Schema can express only a pattern, and the schema
 * must match the actual check.
 */

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`

const PIECE = '[0-9A-Fa-f]{1,4}'

/** Pattern with `before` pieces before the `::`, which replaces at least one piece. */
const compressedIpv6 = (before: number): string => {
  const front = before === 0 ? '' : `${PIECE}(?::${PIECE}){${before - 1}}`
  const most = 7 - before
  const behind = [
    ...(most >= 1 ? [`(?:${PIECE}:){0,${most - 1}}${PIECE}`] : []),
    ...(most >= 2 ? [`(?:${PIECE}:){0,${most - 2}}${IPV4}`] : []),
  ]
  return `${front}::${behind.length === 0 ? '' : `(?:${behind.join('|')})?`}`
}

const IPV6 = [
  `(?:${PIECE}:){7}${PIECE}`,
  `(?:${PIECE}:){6}${IPV4}`,
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((before) => compressedIpv6(before)),
].join('|')

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
// A name with a numeric last label can only be a mistyped IPv4 address (WHATWG URL, "ends in a number").
const HOST_NAME = `(?!(?:.*\\.)?(?:\\d+|0[xX][0-9A-Fa-f]*)$)${LABEL}(?:\\.${LABEL})*`

/** Characters in the longest host name, and so in any address. */
export const ADDRESS_LENGTH_MAX = 253
/** Apply only to texts within that length. Matching longer texts is slow. */
export const ADDRESS = new RegExp(`^(?:${IPV4}|${IPV6}|${HOST_NAME})$`)
