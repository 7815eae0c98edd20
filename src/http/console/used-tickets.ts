/** About 150 bytes each. */
const USED_MAX = 50_000

/** Tickets in use or used, until they expire. @param clock Unix milliseconds */
export const makeUsedTickets = (clock: () => number) => {
  const used = new Map<string, number>()
  return {
    /** Claims a ticket, once. `full` if too many are stored: evicting one would make it valid again. */
    claim: (nonce: string, expires: number): 'claimed' | 'used' | 'full' => {
      const now = clock()
      // Tickets are used roughly in order of expiry, so this stops at the first valid one.
      for (const [old, end] of used) {
        if (end > now) break
        used.delete(old)
      }
      if (used.has(nonce)) return 'used'
      if (used.size >= USED_MAX) return 'full'
      used.set(nonce, expires)
      return 'claimed'
    },
    /** Makes a claimed ticket valid again, because it opened no connection. */
    release: (nonce: string): void => void used.delete(nonce),
  }
}
export type UsedTickets = ReturnType<typeof makeUsedTickets>
