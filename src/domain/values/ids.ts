import { classExcluding, INVISIBLE, single } from './characters.ts'

/** Random bytes as lower-case hex. The composition root supplies them, so the domain contains no randomness. */
export type RandomHex = (bytes: number) => string

/**
 * 24 lower-case hex digits: the creation second (Unix time, wraps in 2106) in the first 8, the given 8 random bytes in
 * the rest.
 */
export const makeId = (epochMilliseconds: number, random: string): string =>
  Math.floor(epochMilliseconds / 1000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8) + random

/** Whether the service could have assigned this id. If not, no lookup is needed. */
export const isAssignedId = (id: string): boolean => /^[0-9a-f]{24}$/.test(id)

export const OPAQUE_ID = new RegExp(`^[${classExcluding([...INVISIBLE, single('/')])}]{1,128}$`, 'u')

/** 1 to 128 printable characters without a slash, the format of ids in requests. */
export const isOpaqueId = (id: string): boolean => OPAQUE_ID.test(id)

const HEX = '0123456789abcdef'

/** A UUID of version 7 (RFC 9562, section 5.7) from Unix milliseconds and 10 random bytes in hex. */
export const makeEventId = (epochMilliseconds: number, random: string): string => {
  // Split into two numbers, each small enough for fast formatting.
  const high = Math.floor(epochMilliseconds / 0x10000)
  const time = `${high.toString(16).padStart(8, '0')}-${(epochMilliseconds - high * 0x10000).toString(16).padStart(4, '0')}`
  const variant = '89ab'[HEX.indexOf(random.charAt(3)) & 0x3]
  return `${time}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

/** The stream of a SUT and its calendar. */
export const sutStream = (sutId: string): string => `sut-${sutId}`

/** The stream that assigns listen_ports, the one rule that spans SUTs. It also records the log version. */
export const LISTEN_PORTS_STREAM = 'listenPorts'

/** In logs of before 2.0.0: since when starts and ends of reservations are recorded. */
export const SCHEDULE_STREAM = 'schedule'

export const monitoringStream = (sutId: string): string => `monitoring-${sutId}`

export const sessionStream = (sutId: string): string => `sessions-${sutId}`

/** The stream of all users, since names are unique among them and one administrator stays. */
export const USERS_STREAM = 'users'

export const tokenStream = (userId: string): string => `tokens-${userId}`

/** The stream of all requests that wait, since they are granted in one order. */
export const REQUESTS_STREAM = 'requests'

export const REFUSALS_STREAM = 'refusals'

/** The stream of all webhooks, with what was delivered. */
export const WEBHOOKS_STREAM = 'webhooks'

/** Streams of a log: name prefixes and complete names. */
export const STREAMS = {
  prefixes: ['sut-', 'monitoring-', 'sessions-', 'tokens-', 'match-'],
  names: [LISTEN_PORTS_STREAM, USERS_STREAM, REQUESTS_STREAM, REFUSALS_STREAM, WEBHOOKS_STREAM, SCHEDULE_STREAM],
} as const
