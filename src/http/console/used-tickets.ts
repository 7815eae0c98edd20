/** Tickets in use or used, until they expire. */
export interface UsedTickets {
  /** Claims a ticket, once. `full` if too many are stored. */
  readonly claim: (nonce: string, expires: number) => 'claimed' | 'used' | 'full'
  /** Makes a claimed ticket valid again, because it opened no connection. */
  readonly release: (nonce: string) => void
}

/** About 150 bytes each. */
const USED_MAX = 50_000

/** @param clock Unix milliseconds */
export const makeUsedTickets = (clock: () => number): UsedTickets => {
  const used = new Map<string, number>()

  /** Tickets are used roughly in order of expiry, so this stops at the first valid one. */
  const forgetExpired = (): void => {
    const now = clock()
    for (const [nonce, expires] of used) {
      if (expires > now) break
      used.delete(nonce)
    }
  }

  return {
    claim: (nonce, expires) => {
      forgetExpired()
      if (used.has(nonce)) return 'used'
      // Evicting a ticket would make it valid again.
      if (used.size >= USED_MAX) return 'full'
      used.set(nonce, expires)
      return 'claimed'
    },
    release: (nonce) => void used.delete(nonce),
  }
}
