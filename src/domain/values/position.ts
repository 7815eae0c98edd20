declare const store: unique symbol
declare const log: unique symbol

/**
 * Where a store has an event: increases along the log, and can only be compared within one store. In the embedded store it
 * is the public position, in EventStoreDB the commit position.
 */
export type StorePosition = number & { readonly [store]: true }

/** The number of events before an event in the log, on every instance and in every copy. It is what clients see. */
export type PublicPosition = number & { readonly [log]: true }

/** For positions as they come out of a store, and for the tests. */
export const toStorePosition = (value: number): StorePosition => value as StorePosition

/** For positions as they come out of the views or are counted. */
export const toPublicPosition = (value: number): PublicPosition => value as PublicPosition

/** The public position before the first event of the log. */
export const BEFORE_FIRST = toPublicPosition(-1)

export const previousPosition = (position: PublicPosition): PublicPosition => toPublicPosition(position - 1)
export const nextPosition = (position: PublicPosition): PublicPosition => toPublicPosition(position + 1)

/**
 * Formats a public position for headers, the feed and histories: 20 decimal digits, so that text order is numeric
 * order.
 */
export const formatPosition = (position: PublicPosition): string => String(position).padStart(20, '0')

/** In requests, leading zeros are optional. */
export const POSITION_IN_REQUEST = /^[0-9]{1,20}$/

/** Undefined if the text is not a position or exceeds the largest possible one. */
export const parsePosition = (text: string): PublicPosition | undefined => {
  const position = Number(text)
  return POSITION_IN_REQUEST.test(text) && Number.isSafeInteger(position) ? toPublicPosition(position) : undefined
}

/**
 * Gives events their public positions, as they are read from the beginning of the log.
 *
 * @param isDense whether both kinds are the same, as in the embedded store, so that a gap is one in both
 */
export const makePositionCounter = (isDense: boolean): ((at: StorePosition) => PublicPosition) => {
  let last = BEFORE_FIRST
  return (at) => {
    last = isDense ? toPublicPosition(at) : nextPosition(last)
    return last
  }
}

export const laterPosition = <P extends StorePosition | PublicPosition>(a: P, b: P): P => (a > b ? a : b)

export const earlierPosition = <P extends StorePosition | PublicPosition>(a: P, b: P): P => (a < b ? a : b)
