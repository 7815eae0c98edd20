/** Between looks at all items, in milliseconds. */
const LOOK_INTERVAL_MS = 1_000

/**
 * Finds what is due among items that say their own moments, in the unit of the clock that is passed in. Looks at all of
 * them, which takes 10 ns each, once a second and at the earliest moment yet to come. So nothing needs to be kept in step
 * with the items, and what could not be done is found again a second later, also by a clock that stands still.
 *
 * @param momentOf undefined if nothing is to be done about an item
 * @param sinceBoot milliseconds of a clock that nobody sets
 */
export const makeDue = <A>(
  all: () => Iterable<A>,
  momentOf: (item: A) => number | undefined,
  sinceBoot: () => number = () => performance.now(),
) => {
  let looked = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let next = Number.POSITIVE_INFINITY
  return {
    /** Call with an item that is new or has changed, or it is late by up to a second. */
    changed: (item: A): void => {
      next = Math.min(next, momentOf(item) ?? Number.POSITIVE_INFINITY)
    },
    find: (now: number): readonly A[] => {
      const since = sinceBoot()
      const isEarly = Math.abs(now - lookedAt) < LOOK_INTERVAL_MS && since - looked < LOOK_INTERVAL_MS
      if (now < next && isEarly) return []
      lookedAt = now
      looked = since
      next = Number.POSITIVE_INFINITY
      const due: A[] = []
      for (const item of all()) {
        const moment = momentOf(item)
        if (moment === undefined) continue
        if (moment <= now) due.push(item)
        else next = Math.min(next, moment)
      }
      return due
    },
  }
}
