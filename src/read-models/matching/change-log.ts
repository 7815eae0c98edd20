/** Numbers of what has changed, for caches that catch up when they are used. */
export interface ChangeLog {
  readonly note: (slot: number) => void
  /** Where the log ends. */
  readonly end: () => number
  /** What has changed since; undefined if that is not known any more. */
  readonly since: (cursor: number) => readonly number[] | undefined
}

/** Changes kept: making a cache anew costs less than catching up on more. */
const KEPT_MAX = 16_384

export const makeChangeLog = (): ChangeLog => {
  let first = 0
  let kept: number[] = []
  return {
    note: (slot) => {
      if (kept.length === KEPT_MAX) {
        first += kept.length
        kept = []
      }
      kept.push(slot)
    },
    end: () => first + kept.length,
    since: (cursor) => (cursor < first ? undefined : kept.slice(cursor - first)),
  }
}
