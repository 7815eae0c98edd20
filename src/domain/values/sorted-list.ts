/** The first of `count` places at which something holds; `count` if it holds at none. It must hold at all later places. */
export const bisect = (count: number, holds: (place: number) => boolean): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * A sorted list that never changes, in non-empty chunks: a list with one more element shares all chunks but one with the
 * list before. So an insertion copies a few hundred references, however many elements there are. It is its own JSON.
 */
export type SortedList<A> = readonly (readonly A[])[]

const CHUNK_MAX = 64

interface Place {
  readonly chunk: number
  /** Index in the chunk. */
  readonly at: number
}

/** The place of the first element for which something holds that holds for all later ones; after the last if for none. */
export const seek = <A>(list: SortedList<A>, holds: (element: A) => boolean): Place => {
  const chunk = bisect(list.length, (n) => holds(list[n]?.at(-1) as A))
  const elements = list[chunk] ?? []
  return { chunk, at: bisect(elements.length, (n) => holds(elements[n] as A)) }
}

/** The place of the first element that is meant, found by looking at one after the other. */
export const findPlace = <A>(list: SortedList<A>, isMeant: (element: A) => boolean): Place | undefined => {
  for (const [chunk, elements] of list.entries()) {
    const at = elements.findIndex(isMeant)
    if (at !== -1) return { chunk, at }
  }
  return undefined
}

export const elementAt = <A>(list: SortedList<A>, { chunk, at }: Place): A | undefined => list[chunk]?.[at]

export const elementBefore = <A>(list: SortedList<A>, { chunk, at }: Place): A | undefined =>
  at > 0 ? list[chunk]?.[at - 1] : list[chunk - 1]?.at(-1)

const FIRST: Place = { chunk: 0, at: 0 }

export function* elementsFrom<A>(list: SortedList<A>, { chunk, at } = FIRST): Generator<A> {
  for (let n = chunk; n < list.length; n++) {
    const elements = list[n] as readonly A[]
    for (let i = n === chunk ? at : 0; i < elements.length; i++) yield elements[i] as A
  }
}

/** Inserts an element before a place. */
export const insertAt = <A>(list: SortedList<A>, { chunk, at }: Place, element: A): SortedList<A> => {
  // Behind the last element, the chunk before it takes the new one.
  const isBehindAll = chunk === list.length && chunk > 0
  const n = isBehindAll ? chunk - 1 : chunk
  const elements = list[n] ?? []
  const isFull = elements.length === CHUNK_MAX
  // Elements often arrive in their order or the opposite one. Beginning a new chunk then keeps chunks full.
  if (isFull && (isBehindAll || (n === 0 && at === 0))) return list.toSpliced(isBehindAll ? n + 1 : n, 0, [element])
  const more = elements.toSpliced(isBehindAll ? elements.length : at, 0, element)
  return isFull
    ? list.toSpliced(n, 1, more.slice(0, CHUNK_MAX / 2), more.slice(CHUNK_MAX / 2))
    : list.toSpliced(n, 1, more)
}

export const replaceAt = <A>(list: SortedList<A>, { chunk, at }: Place, element: A): SortedList<A> =>
  list.with(chunk, (list[chunk] as readonly A[]).with(at, element))

export const removeAt = <A>(list: SortedList<A>, { chunk, at }: Place): SortedList<A> => {
  const left = (list[chunk] as readonly A[]).toSpliced(at, 1)
  return left.length === 0 ? list.toSpliced(chunk, 1) : list.with(chunk, left)
}

/** The elements from a place on. The same list if that is all of them. */
export const dropBefore = <A>(list: SortedList<A>, { chunk, at }: Place): SortedList<A> => {
  if (at === 0) return chunk === 0 ? list : list.slice(chunk)
  return [(list[chunk] as readonly A[]).slice(at), ...list.slice(chunk + 1)]
}
