import type { GrowingTree } from './tree.ts'

/** What a log was once signed to be. */
export interface SignedHead {
  /** What it is called when it is spoken of. */
  readonly name: string
  /** How many events there were. */
  readonly size: number
  readonly root: Uint8Array
}

/** How a log compares with it. */
export interface CheckpointComparison {
  readonly name: string
  readonly size: number
  /** Whether its events are the first of those today, unchanged. */
  readonly is_extended: boolean
  /** The root over as many events today, in base64; null where there are fewer. */
  readonly root: string | null
}

/** Where a log has changed since it was signed. Positions of events; -1 stands for the place before the first. */
export interface Divergence {
  readonly unchanged_up_to: number
  readonly differs_before: number
}

export interface CheckpointComparer {
  /** Looks at the tree when it has grown by a leaf, and once while it is empty. */
  readonly look: (tree: GrowingTree) => void
  readonly compared: () => readonly CheckpointComparison[]
  /** Undefined where every checkpoint is extended. */
  readonly place: () => Divergence | undefined
}

/** Holds a growing tree against checkpoints of any sizes. */
export const compareCheckpoints = (against: readonly SignedHead[]): CheckpointComparer => {
  const bySize = against.toSorted((a, b) => a.size - b.size)
  const found: CheckpointComparison[] = []
  return {
    look: (tree) => {
      for (let next = bySize[found.length]; next?.size === tree.size(); next = bySize[found.length]) {
        const root = tree.root()
        const is_extended = Buffer.compare(root, next.root) === 0
        found.push({ name: next.name, size: next.size, is_extended, root: Buffer.from(root).toString('base64') })
      }
    },
    compared: () => [
      ...found,
      ...bySize.slice(found.length).map(({ name, size }) => ({ name, size, is_extended: false, root: null })),
    ],
    place: () => {
      const good = found.filter(({ is_extended }) => is_extended).at(-1)?.size ?? 0
      const bad = bySize.find(({ size }, n) => size >= good && found[n]?.is_extended !== true)
      return bad === undefined ? undefined : { unchanged_up_to: good - 1, differs_before: bad.size }
    },
  }
}
