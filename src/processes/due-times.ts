/** `takeDue` costs the slots that have passed, whatever the number of ids. */
const SLOT_MS = 1_000

/**
 * Moments at which something is due, one for each id. Bounded by the number of ids. Used instead of timers: those overflow
 * after 2^31 ms, and one for each id would cost more.
 */
export const makeDueTimes = () => {
  const moments = new Map<string, number>()
  const slots = new Map<number, Set<string>>()
  /** No slot before this one has an entry. */
  let first = Number.POSITIVE_INFINITY

  const remove = (id: string): void => {
    const moment = moments.get(id)
    if (moment === undefined) return
    moments.delete(id)
    const slot = Math.floor(moment / SLOT_MS)
    const ids = slots.get(slot)
    ids?.delete(id)
    if (ids?.size === 0) slots.delete(slot)
  }

  const advance = (): void => {
    if (slots.has(first)) return
    first = Number.POSITIVE_INFINITY
    for (const slot of slots.keys()) first = Math.min(first, slot)
  }

  return {
    /** Sets, or moves, the moment of an id, in Unix milliseconds. */
    set: (id: string, moment: number): void => {
      remove(id)
      moments.set(id, moment)
      const slot = Math.floor(moment / SLOT_MS)
      const ids = slots.get(slot)
      if (ids === undefined) slots.set(slot, new Set([id]))
      else ids.add(id)
      first = Math.min(first, slot)
    },
    delete: remove,
    /** Removes and returns the ids that are due, earliest first. */
    takeDue: (now: number): readonly string[] => {
      const due: (readonly [moment: number, id: string])[] = []
      while (first * SLOT_MS <= now) {
        const ids = slots.get(first) ?? []
        const before = due.length
        for (const id of ids) {
          const moment = moments.get(id) as number
          if (moment <= now) due.push([moment, id])
        }
        for (const [, id] of due.slice(before)) remove(id)
        if (slots.has(first)) break
        advance()
      }
      return due.sort(([a], [b]) => a - b).map(([, id]) => id)
    },
    /** The earliest moment. */
    next: (): number | undefined => {
      advance()
      const ids = slots.get(first)
      return ids && Math.min(...Array.from(ids, (id) => moments.get(id) as number))
    },
    size: (): number => moments.size,
  }
}

export type DueTimes = ReturnType<typeof makeDueTimes>
