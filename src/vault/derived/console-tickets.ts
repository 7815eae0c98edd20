import type { KeyRing } from '../keys.ts'
import { makeSigner } from './signer.ts'

/** What a ticket allows: a console of a reservation, to its holder, for a while. */
export interface ConsoleTicket {
  readonly reservationId: string
  readonly userId: string
  /** The access of the user to whom it was issued; see UserState. The ticket ends with it. */
  readonly accessSince: number
  /** The token or session with which it was asked for. */
  readonly access: object
  /** Unix milliseconds. */
  readonly expires: number
  /** Tells tickets apart. */
  readonly nonce: string
}

export type ConsoleTickets = ReturnType<typeof makeConsoleTickets>

const PURPOSE = 'berth console ticket v1'
const NONCE_BYTES = 16

/**
 * Tickets for consoles, `<payload>.<signature>` in base64url. Any instance with a key of the ring verifies them.
 */
export const makeConsoleTickets = (keys: () => KeyRing, randomBytes: (size: number) => Uint8Array) => {
  const signer = makeSigner(keys, PURPOSE)
  return {
    issue: (ticket: Omit<ConsoleTicket, 'nonce'>): string =>
      signer.issue({ ...ticket, nonce: Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url') }),
    /** Undefined if it was not signed with a key of the ring. Whether it has expired is not checked. */
    verify: (text: string) => signer.open(text) as ConsoleTicket | undefined,
  }
}
