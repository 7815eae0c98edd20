/** What the values of variables may be. */

import { X509Certificate } from 'node:crypto'
import { isIP, SocketAddress } from 'node:net'
import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'
import type { Quota } from '../../domain/events/user.ts'
import { changeQuota, parseQuota, QUOTA_DEFAULT, type QuotaChange } from '../../domain/user/quota.ts'
import { ADDRESS, ADDRESS_LENGTH_MAX } from '../../domain/values/address.ts'
import { type EventStoreDbAddress, readEventStoreDbAddress } from '../../event-store/eventstoredb/server/address.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'
import type { TrustedRange } from '../../http/protocol/client-address.ts'
import { passwordProblem } from '../../users/passwords/password.ts'
import { type KeyRing, parseVaultKeys } from '../../vault/keys.ts'

/** Reads a value. Left completes the sentence "BERTH_X ..." without the value, which may be a secret. */
export type ReadValue<A> = (value: string) => E.Either<string, A>

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

export const readHost: ReadValue<string> = (value) =>
  isIP(value) !== 0 || (value.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(value))
    ? E.right(value)
    : E.left('must be a host name or an IP address, without a port or brackets')

const total = (duration: Temporal.Duration): number =>
  duration.with({ weeks: 0, days: duration.weeks * 7 + duration.days }).total('milliseconds')

/** Milliseconds of an ISO 8601 duration between two. */
export const durationWithin =
  (min: string, max: string): ReadValue<number> =>
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
export const readDuration = durationWithin('PT15M', 'P3660D')

const addressRange = (value: string): TrustedRange | undefined => {
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

export const readAddressRanges: ReadValue<readonly TrustedRange[]> = (value) => {
  const ranges = value.split(',').map((part) => addressRange(part.trim()))
  return ranges.every((range) => range !== undefined)
    ? E.right(ranges)
    : E.left(
        'must be addresses or ranges like 192.0.2.7, 10.0.0.0/8, fd00::/8, separated by commas, none with a prefix length of 0',
      )
}

/** Limits that are left out stay as they are without the variable. */
export const readQuota: ReadValue<Quota> = (value) =>
  E.map((change: QuotaChange | null) => changeQuota(QUOTA_DEFAULT, change ?? {}))(parseQuota(value))

export const readVaultKeys: ReadValue<KeyRing> = (value) =>
  E.mapLeft((problems: readonly string[]) => `cannot be used: ${problems.join('; ')}`)(parseVaultKeys(value))

export const readPort: ReadValue<number> = (value) => {
  if (/^(?:tcp|udp|sctp):\/\//.test(value)) {
    return E.left(
      'was set by Kubernetes for a service called "berth": put "enableServiceLinks: false" into the pod\'s spec, or set BERTH_PORT to a port',
    )
  }
  return readWholeNumber(0, 65_535)(value)
}

export const readAdminPassword: ReadValue<string> = (value) =>
  passwordProblem(value) === undefined
    ? E.right(value)
    : E.left('must have at least 8 characters and at most 1024 bytes, without control characters')

const part = (more: string): string => `(?:[A-Za-z0-9._~!$&'()*,;=:@/${more}-]|%[0-9A-Fa-f]{2})*`
const URI_REFERENCE = new RegExp(
  `^(?:[A-Za-z][A-Za-z0-9.-]*:|(?![^/?#]*:))${part('')}(?:\\?${part('?')})?(?:#${part('?')})?$`,
)

/**
 * Valid both as a URI reference (the `source` of a CloudEvent) and as a key name without spaces and plus (C2SP
 * signed-note).
 */
export const readOrigin: ReadValue<string> = (value) =>
  value.length <= 255 && URI_REFERENCE.test(value) && URL.canParse(value, 'http://origin.invalid')
    ? E.right(value)
    : E.left('must be a URI reference like berth or lab.example/berth, at most 255 characters, without spaces and +')

const portNumber = readWholeNumber(1, 65_535)

export const readPortRange: ReadValue<{ readonly first: number; readonly last: number }> = (value) => {
  const [, from = '', to = ''] = /^(\d+)-(\d+)$/.exec(value) ?? []
  const [first, last] = [portNumber(from), portNumber(to)]
  return E.isLeft(first) || E.isLeft(last) || first.right > last.right
    ? E.left('must be a range of ports like 20000-29999, with the first not above the last')
    : E.right({ first: first.right, last: last.right })
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const isPlain = ({ username, password, search, hash }: URL): boolean => `${username}${password}${search}${hash}` === ''

export const readIssuer: ReadValue<string> = (value) => {
  const url = URL.parse(value)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
  return url !== null && isSafe && isPlain(url)
    ? E.right(value)
    : E.left('must be like https://login.lab.example, without a query; http only on a loopback address')
}

export const readPublicUrl: ReadValue<string> = (value) => {
  const url = URL.parse(value)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  return url !== null && isWeb && isPlain(url) && url.pathname === '/'
    ? E.right(url.origin)
    : E.left('must be like https://berth.lab.example, without a path')
}

export const readName: ReadValue<string> = (value) =>
  /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(value)
    ? E.right(value)
    : E.left('must have 1 to 256 characters, without control characters')

/** Which adapter holds the log, and where. Paths are absolute. */
export type EventStoreConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'eventstoredb'; readonly address: EventStoreDbAddress }

/** The store's name for the log, without credentials. */
export const nameOfStore = (store: EventStoreConfig): string => {
  if (store.kind === 'sqlite') return store.path
  const { hosts, isDiscovered } = store.address
  return `esdb${isDiscovered ? '+discover' : ''}://${hosts.map(({ address, port }) => `${address}:${port}`).join(',')}`
}

/** @returns Left completes the sentence "BERTH_EVENT_STORE ...", without the value */
export const readEventStore = (value: string, directory: string): E.Either<string, EventStoreConfig> => {
  if (/^esdb(?:\+discover)?:/.test(value)) {
    return E.bimap(
      (problems: readonly string[]) => problems.join('; '),
      (address: EventStoreDbAddress): EventStoreConfig => ({
        kind: 'eventstoredb',
        address: inPlace(address, directory),
      }),
    )(readEventStoreDbAddress(value))
  }
  const path = /^sqlite:(?!\/\/[^/])(.+)$/s.exec(value)?.[1]
  if (path === ':memory:') return E.left('must name a file; a log in memory would be lost')
  if (path === undefined) return E.left('must be like sqlite:./data/events.db or esdb://name:password@host:2113')
  return E.right({ kind: 'sqlite', path: resolve(directory, path) })
}

const inPlace = (address: EventStoreDbAddress, directory: string): EventStoreDbAddress =>
  address.caFile === undefined ? address : { ...address, caFile: resolve(directory, address.caFile) }

/** Why the file of trusted authorities cannot be used, if there is one that cannot. */
export const authorityProblems = async (caFile: string | undefined): Promise<readonly string[]> => {
  if (caFile === undefined) return []
  try {
    new X509Certificate(await readRegularFile(caFile))
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isSystem = /^E[A-Z]+$/.test(String(code))
    const why = isSystem ? `cannot be read: ${message.split(',')[0]}` : 'contains no PEM certificate'
    return [`BERTH_EVENT_STORE: the tlsCAFile ${caFile} ${why}`]
  }
}
