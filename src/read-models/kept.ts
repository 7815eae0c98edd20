/** What is read at the first call, and kept until it is forgotten. Who asks meanwhile shares the reading. */
export interface Kept<A extends object> {
  readonly get: () => A | Promise<A>
  readonly forget: () => void
}

/** @param read forgets what it began if it fails */
export const makeKept = <A extends object>(read: () => Promise<A>): Kept<A> => {
  let kept: A | Promise<A> | undefined
  return {
    get: () => {
      if (kept !== undefined) return kept
      const reading = read()
      kept = reading
      reading.then(
        (value) => {
          if (kept === reading) kept = value
        },
        () => undefined,
      )
      return reading
    },
    forget: () => {
      kept = undefined
    },
  }
}
