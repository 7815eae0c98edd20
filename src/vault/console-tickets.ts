import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { KeyRing, VaultKey } from './keys.ts'

/** What a ticket allows: a console of a reservation, to its holder, for a while. */
export interface ConsoleTicket {
  readonly reservationId: string
  readonly userId: string
  /** The access of the user to whom it was issued; see UserState. The ticket ends with it. */
  readonly accessSince: number
  /** Unix milliseconds. */
  readonly expires: number
  /** Tells tickets apart. */
  readonly nonce: string
}

/**
 * Tickets for consoles, `<payload>.<HMAC-SHA-256>` in base64url. Any instance with a key of the ring verifies them. The
 * key is derived from the vault's by HKDF (RFC 5869).
 */
export interface ConsoleTickets {
  readonly issue: (ticket: Omit<ConsoleTicket, 'nonce'>) => string
  /** Undefined if it was not signed with a key of the ring. Whether it has expired is not checked. */
  readonly verify: (text: string) => ConsoleTicket | undefined
}

const PURPOSE = 'berth console ticket v1'
const NONCE_BYTES = 16
/** Characters; longer ones are not looked at. */
const TEXT_MAX = 2_048

type Content = [reservationId: string, userId: string, expires: number, nonce: string, accessSince: number]

const derive = ({ key }: VaultKey): Buffer => Buffer.from(hkdfSync('sha256', key, '', PURPOSE, 32))

/** The bytes of canonical base64url, so that a ticket has one form only. */
const bytesOf = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

export const makeConsoleTickets = (keys: () => KeyRing, randomBytes: (size: number) => Uint8Array): ConsoleTickets => {
  const derived = new WeakMap<VaultKey, Buffer>()

  const sign = (key: VaultKey, payload: string): Buffer => {
    const own = derived.get(key) ?? derive(key)
    derived.set(key, own)
    return createHmac('sha256', own).update(payload).digest()
  }

  return {
    issue: ({ reservationId, userId, accessSince, expires }) => {
      const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url')
      const content = [reservationId, userId, expires, nonce, accessSince] satisfies Content
      const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
      return `${payload}.${sign(keys().current, payload).toString('base64url')}`
    },
    verify: (text) => {
      const [payload = '', signature = '', ...rest] = text.length > TEXT_MAX ? [] : text.split('.')
      const [given, signed] = [bytesOf(signature), bytesOf(payload)]
      if (given === undefined || signed === undefined || rest.length > 0) return undefined
      if (!keys().keys.some((key) => isSame(sign(key, payload), given))) return undefined
      const [reservationId, userId, expires, nonce, accessSince] = JSON.parse(signed.toString()) as Content
      return { reservationId, userId, accessSince, expires, nonce }
    },
  }
}
