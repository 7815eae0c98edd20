import { isIP, SocketAddress } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'

/** Reads a value. Left completes the sentence "BERTH_X ..." without the value, which may be a secret. */
export type ReadValue<A> = (value: string) => E.Either<string, A>

/** Reads a variable, or takes `otherwise` where it is not set; collects the problems. */
export type ReadVariable = <A, B>(name: string, as: ReadValue<A>, otherwise: B) => A | B

export const readOneOf =
  <A extends string>(...values: readonly A[]): ReadValue<A> =>
  (value) =>
    E.fromNullable(`must be one of ${values.join(', ')}`)(values.find((each) => each === value))

export const readWholeNumber =
  (min: number, max: number): ReadValue<number> =>
  (value) =>
    /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? E.right(Number(value))
      : E.left(`must be a whole number from ${min} to ${max}`)

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Reads a host name or an IP address. */
export const readHost: ReadValue<string> = (value) =>
  isIP(value) !== 0 || (HOST_NAME.test(value) && !/(?:^|\.)\d+$/.test(value))
    ? E.right(value)
    : E.left('must be a host name or an IP address, without a port or brackets')

interface Range {
  /** ISO 8601 durations. */
  readonly min: string
  readonly max: string
}

const total = (duration: Temporal.Duration): number =>
  duration.with({ weeks: 0, days: duration.weeks * 7 + duration.days }).total('milliseconds')

/** Milliseconds of an ISO 8601 duration within a range. */
export const durationWithin =
  ({ min, max }: Range): ReadValue<number> =>
  (value) => {
    let parsed: Temporal.Duration
    try {
      parsed = Temporal.Duration.from(value)
    } catch {
      return E.left('must be an ISO 8601 duration like P7D or PT36H')
    }
    if (parsed.years !== 0 || parsed.months !== 0) {
      return E.left('must use weeks, days, hours, minutes and seconds; years and months have no fixed length')
    }
    const milliseconds = total(parsed)
    const [least, most] = [min, max].map((each) => total(Temporal.Duration.from(each))) as [number, number]
    return Number.isInteger(milliseconds) && milliseconds >= least && milliseconds <= most
      ? E.right(milliseconds)
      : E.left(`must be from ${min} to ${max}, in whole milliseconds`)
  }

/** From a quarter of an hour, the shortest window, to ten years, which keeps years at four digits. */
export const duration = durationWithin({ min: 'PT15M', max: 'P3660D' })

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

export const readAddressRanges: ReadValue<readonly AddressRange[]> = (value) => {
  const ranges = value.split(',').map((part) => addressRange(part.trim()))
  return ranges.every((range) => range !== undefined)
    ? E.right(ranges)
    : E.left(
        'must be addresses or ranges like 192.0.2.7, 10.0.0.0/8, fd00::/8, separated by commas, none with a prefix length of 0',
      )
}
