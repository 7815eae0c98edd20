import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'

interface Drawn {
  readonly from: readonly unknown[]
  readonly node: VNode
}

/** Draws an entry of a list, or takes the node of the last time where that was drawn from the same values. */
export type DrawSame = (key: string, from: readonly unknown[], draw: () => VNode) => VNode

/** Spares what has not changed: a node that is the same is not looked at again. Of one drawing the next one knows. */
export const useSame = (): DrawSame => {
  const last = useRef<ReadonlyMap<string, Drawn>>(new Map())
  const before = last.current
  const now = new Map<string, Drawn>()
  last.current = now
  return (key, from, draw) => {
    const known = before.get(key)
    const isSame = known !== undefined && from.every((value, n) => Object.is(value, known.from[n]))
    const drawn = isSame ? known : { from, node: draw() }
    now.set(key, drawn)
    return drawn.node
  }
}
