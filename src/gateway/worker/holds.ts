import type { DialTarget } from '../connections/dial.ts'

/** Targets that no connection is made to for the moment. Bounded by the probes in flight. */
export interface Holds {
  readonly hold: (target: DialTarget) => void
  readonly release: (target: DialTarget) => void
  /** Resolves when a target is released; undefined if it is not held. */
  readonly wait: (target: DialTarget) => Promise<void> | undefined
}

const keyOf = ({ host, port }: DialTarget): string => `${host} ${port}`

export const makeHolds = (): Holds => {
  const held = new Map<string, { count: number; readonly released: Promise<void>; readonly release: () => void }>()
  return {
    hold: (target) => {
      const key = keyOf(target)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const hold = held.get(key) ?? { count: 0, released, release }
      hold.count++
      held.set(key, hold)
    },
    release: (target) => {
      const key = keyOf(target)
      const hold = held.get(key)
      // A thread that was started after a failure does not know it.
      if (hold === undefined || --hold.count > 0) return
      held.delete(key)
      hold.release()
    },
    wait: (target) => held.get(keyOf(target))?.released,
  }
}
