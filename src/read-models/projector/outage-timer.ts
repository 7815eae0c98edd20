/** Called with why a subscription was cut off, and the milliseconds until it was resumed. */
export type OnResumed = (cause: unknown, milliseconds: number) => void

/** Measures how long a subscription is without its store, from its first failure to the next batch. */
export const makeOutageTimer = (onResumed: OnResumed = () => undefined) => {
  let cut: { readonly cause: unknown; readonly at: number } | undefined
  return {
    begin: (cause: unknown): void => {
      cut ??= { cause, at: performance.now() }
    },
    end: (): void => {
      if (cut !== undefined) onResumed(cut.cause, Math.round(performance.now() - cut.at))
      cut = undefined
    },
  }
}
