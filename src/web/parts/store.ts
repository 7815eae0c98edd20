import { useEffect, useState } from 'preact/hooks'

/** A value that components show. It is replaced, never changed. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  readonly update: (change: (value: A) => A) => void
  /** Calls the listener after each change. The returned function ends this. */
  readonly watch: (listener: (value: A) => void) => () => void
}

export const makeStore = <A>(initial: A): Store<A> => {
  let value = initial
  const listeners = new Set<(value: A) => void>()
  const set = (next: A): void => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of [...listeners]) listener(value)
  }
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What a component needs of a store. The component is drawn again when that changes. */
export function useStore<A>(store: Store<A>): A
export function useStore<A, B>(store: Store<A>, select: (value: A) => B): B
export function useStore<A>(store: Store<A>, select: (value: A) => unknown = (value) => value): unknown {
  const [, redraw] = useState<unknown>(undefined)
  const selected = select(store.get())
  useEffect(() => {
    let last = selected
    const compare = (value: A): void => {
      const next = select(value)
      if (Object.is(next, last)) return
      last = next
      redraw({})
    }
    // It may have changed between drawing and now.
    compare(store.get())
    return store.watch(compare)
  }, [store])
  return selected
}
