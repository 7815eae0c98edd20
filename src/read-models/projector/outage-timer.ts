/** Called with the cause of an outage and its length in milliseconds. */
export type OnResumed = (cause: unknown, milliseconds: number) => void

/** Measures outages of a subscription, from the first failure to the next batch. */
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
