import { timingSafeEqual } from 'node:crypto'
import { argon2id, type HashCost } from './argon2.ts'

export interface PasswordHash extends HashCost {
  readonly salt: Uint8Array
  readonly tag: Uint8Array
}

/** The minimum of OWASP's Password Storage Cheat Sheet for argon2id: about 40 ms and 19 MiB. */
export const HASH_COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 }
/** Bytes of salt in a new hash. */
export const SALT_BYTES = 16
const TAG_BYTES = 32

// Imported users may have hashes from other tools. Beyond these limits a check would take a second or 128 MiB.
const MEMORY_MAX = 131_072
const MEMORY_PASSES_MAX = 524_288
const PARALLELISM_MAX = 16

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '')

const decode = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return encode(bytes) === text ? bytes : undefined
}

/** Hashes a password to a PHC string, which includes its cost. */
export const hashPassword = async (password: string, salt: Uint8Array, cost: HashCost = HASH_COST): Promise<string> => {
  const { tag } = await argon2id({ password, salt, ...cost, tagLength: TAG_BYTES })
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`
}

const PHC =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d{0,2}),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** Parses a PHC string; undefined for other algorithms and for too costly parameters. */
export const parsePasswordHash = (text: string): PasswordHash | undefined => {
  const match = PHC.exec(text)
  if (match === null) return undefined
  const [memory = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number)
  if (memory < 8 * parallelism || memory > MEMORY_MAX || memory * passes > MEMORY_PASSES_MAX) return undefined
  if (parallelism > PARALLELISM_MAX) return undefined
  const [salt, tag] = match.slice(4).map(decode)
  return salt && tag && { memory, passes, parallelism, salt, tag }
}

export interface VerifiedPassword {
  readonly fits: boolean
  /** CPU time that it took, in milliseconds. */
  readonly cpu: number
}

/** Compares in constant time. The duration depends only on the hash, never on the password. */
export const verifyPassword = async (hash: PasswordHash, password: string): Promise<VerifiedPassword> => {
  const { tag, ...how } = hash
  const derived = await argon2id({ password, ...how, tagLength: tag.length })
  return { fits: timingSafeEqual(derived.tag, tag), cpu: derived.cpu }
}

/** Maximum length of a password in UTF-8 bytes. */
export const PASSWORD_BYTES_MAX = 1024
const PASSWORD = /^[^\p{Cc}\p{Cs}]{8,}$/u

/**
 * Why a password is not allowed, without repeating it. At least 8 characters and no composition rules (NIST SP
 * 800-63B). No control characters, which RFC 7617 cannot carry. Not normalised: passwords are compared as UTF-8 bytes,
 * so they must be typed as the same code points.
 */
export const passwordProblem = (password: string): string | undefined => {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) return `must have at most ${PASSWORD_BYTES_MAX} bytes`
  return PASSWORD.test(password) ? undefined : 'must have at least 8 characters, without control characters'
}

/** Random bytes that `makePassword` needs. */
export const PASSWORD_RANDOM_BYTES = 26
// 32 unambiguous characters that a double click selects.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** A password to copy by hand: 26 characters, 130 bits. */
export const makePassword = (random: Uint8Array): string =>
  Array.from(random, (byte) => ALPHABET[byte & 31] as string).join('')
