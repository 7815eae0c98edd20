/** Tickets that open a connection or have opened one, until they expire. */
export interface UsedTickets {
  /** Whether a ticket may be used now; if so, it no longer may. `full`: too many are remembered. */
  readonly claim: (nonce: string, expires: number) => 'claimed' | 'used' | 'full'
  /** The connection was not opened. */
  readonly release: (nonce: string) => void
}

/** About 150 bytes each. */
const USED_MAX = 50_000

/** @param clock Unix milliseconds */
export const makeUsedTickets = (clock: () => number, usedMax = USED_MAX): UsedTickets => {
  const used = new Map<string, number>()

  /** Tickets are used in about the order of their expiry: looks from the oldest on. */
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
      // To forget a ticket would let it be used again.
      if (used.size >= usedMax) return 'full'
      used.set(nonce, expires)
      return 'claimed'
    },
    release: (nonce) => void used.delete(nonce),
  }
}
