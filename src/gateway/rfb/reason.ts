/** Maximum characters of a server's reason that are passed on. */
const QUOTED_MAX = 100

const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
/** Hexadecimal groups with at least two colons, and a zone. A time of day with seconds looks the same. */
const IPV6 = /(?<![\w:.])[\da-f]{0,4}:[\da-f]{0,4}:[\da-f:.]*(?:%\w+)?/gi

/**
 * What may be passed on of a reason that a VNC server gives: printable characters, without addresses. Undefined if
 * nothing is left.
 */
export const quotableReason = (bytes: Uint8Array): string | undefined => {
  const printable = Buffer.from(bytes)
    .toString()
    .replace(/[\p{C}\p{Z}\ufffd]+/gu, ' ')
  const masked = printable.replaceAll(IPV6, '(address)').replaceAll(IPV4, '(address)').replaceAll('"', "'").trim()
  return Array.from(masked).slice(0, QUOTED_MAX).join('').trim() || undefined
}
