import { classExcluding, INVISIBLE, single } from './characters.ts'

/** Random bytes as lower-case hex; the composition root supplies them, so that the domain has no randomness of its own. */
export type RandomHex = (bytes: number) => string

/**
 * 24 lower-case hex digits: the creation second (Unix time) in the first 8, which begin again in 2106, the 8 random
 * bytes given in the rest.
 */
export const makeId = (epochMilliseconds: number, random: string): string =>
  Math.floor(epochMilliseconds / 1000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8) + random

/** Whether the service can have assigned this id; nothing else needs to be looked up. */
export const isAssignedId = (id: string): boolean => /^[0-9a-f]{24}$/.test(id)

export const OPAQUE_ID = new RegExp(`^[${classExcluding([...INVISIBLE, single('/')])}]{1,128}$`, 'u')

/** 1 to 128 printable characters without a slash: what an id in a request may be. */
export const isOpaqueId = (id: string): boolean => OPAQUE_ID.test(id)

const HEX = '0123456789abcdef'

/** A UUID of version 7 (RFC 9562, section 5.7) from Unix milliseconds and 10 random bytes in hex. */
export const makeEventId = (epochMilliseconds: number, random: string): string => {
  // In two parts, each small enough to be written fast.
  const high = Math.floor(epochMilliseconds / 0x10000)
  const time = `${high.toString(16).padStart(8, '0')}-${(epochMilliseconds - high * 0x10000).toString(16).padStart(4, '0')}`
  const variant = '89ab'[HEX.indexOf(random.charAt(3)) & 0x3]
  return `${time}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

/** The stream that holds one SUT and its calendar. */
export const sutStream = (sutId: string): string => `sut-${sutId}`

/** The stream that holds which SUT has which listen_port, the one rule that spans SUTs; and which version the log has. */
export const LISTEN_PORTS_STREAM = 'listenPorts'

/** The streams that a log may have, by what their names begin with; and those whose names these are. */
export const STREAMS = {
  prefixes: ['sut-', 'monitoring-', 'sessions-', 'tokens-', 'match-'],
  names: [LISTEN_PORTS_STREAM, 'users', 'requests', 'webhooks', 'schedule'],
} as const
