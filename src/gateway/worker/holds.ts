import type { DialTarget } from '../connections/dial.ts'

const keyOf = ({ host, port }: DialTarget): string => `${host} ${port}`

/** Targets that no connection is made to for the moment. Bounded by the probes in flight. */
export const makeHolds = () => {
  const held = new Map<string, { count: number; readonly released: Promise<void>; readonly release: () => void }>()
  return {
    hold: (target: DialTarget): void => {
      const key = keyOf(target)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const hold = held.get(key) ?? { count: 0, released, release }
      hold.count++
      held.set(key, hold)
    },
    release: (target: DialTarget): void => {
      const key = keyOf(target)
      const hold = held.get(key)
      // A thread that was started after a failure does not know it.
      if (hold === undefined || --hold.count > 0) return
      held.delete(key)
      hold.release()
    },
    /** Resolves when a target is released; undefined if it is not held. */
    wait: (target: DialTarget): Promise<void> | undefined => held.get(keyOf(target))?.released,
  }
}
