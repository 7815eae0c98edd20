import type { GrowingTree } from '../merkle-tree.ts'

/** A tree head signed earlier. */
export interface SignedHead {
  /** Name for reports. */
  readonly name: string
  /** Number of events. */
  readonly size: number
  readonly root: Uint8Array
}

/** Result of comparing the log with a signed head. */
export interface CheckpointComparison {
  readonly name: string
  readonly size: number
  /** Whether the log begins with exactly these events. */
  readonly is_extended: boolean
  /** The log's root at this size, in base64; null if the log is shorter. */
  readonly root: string | null
}

/** Range of positions in which the log diverged after it was signed; -1 means before the first event. */
export interface Divergence {
  readonly unchanged_up_to: number
  readonly differs_before: number
}

/** Compares a growing tree with signed checkpoints of any size. */
export const compareCheckpoints = (against: readonly SignedHead[]) => {
  const bySize = against.toSorted((a, b) => a.size - b.size)
  const comparisons: CheckpointComparison[] = []
  return {
    /** Call for the empty tree and after each added leaf. */
    compare: (tree: GrowingTree): void => {
      for (let next = bySize[comparisons.length]; next?.size === tree.size(); next = bySize[comparisons.length]) {
        const root = tree.root()
        const is_extended = root.equals(next.root)
        comparisons.push({ name: next.name, size: next.size, is_extended, root: root.toString('base64') })
      }
    },
    compared: (): readonly CheckpointComparison[] => [
      ...comparisons,
      ...bySize.slice(comparisons.length).map(({ name, size }) => ({ name, size, is_extended: false, root: null })),
    ],
    /** Undefined if the log extends every checkpoint. */
    place: (): Divergence | undefined => {
      const good = comparisons.filter(({ is_extended }) => is_extended).at(-1)?.size ?? 0
      const bad = bySize.find(({ size }, n) => size >= good && comparisons[n]?.is_extended !== true)
      return bad === undefined ? undefined : { unchanged_up_to: good - 1, differs_before: bad.size }
    },
  }
}
