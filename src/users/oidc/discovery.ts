interface DiscoveryOptions<A> {
  readonly discover: () => Promise<A>
  /** Called when the provider could not be discovered, until it was; `onRecovered` then. */
  readonly onFailure: (error: unknown) => void
  readonly onRecovered: () => void
  readonly limits?: Partial<DiscoveryLimits> | undefined
}

/** Times of discovery, in milliseconds. */
const DISCOVERY_LIMITS = {
  /** Between discoveries while the provider is known. */
  renewEvery: 3_600_000,
  /** Between the first two discoveries that fail; doubled with each further one. */
  retryMin: 1_000,
  retryMax: 30_000,
  /** In which what is known is forgotten once. */
  forgetEvery: 10_000,
}
export type DiscoveryLimits = Readonly<typeof DISCOVERY_LIMITS>

/** Milliseconds until the next discovery, after so many failures in a row. */
const waitAfter = (failures: number, { renewEvery, retryMin, retryMax }: DiscoveryLimits): number =>
  failures === 0 ? renewEvery : Math.min(retryMax, retryMin * 2 ** (failures - 1))

/** One discovery at a time, and another when it is due. */
const makeDiscoveries = <A>(
  { discover, onFailure, onRecovered }: DiscoveryOptions<A>,
  limits: DiscoveryLimits,
  onFound: (value: A) => void,
) => {
  let inFlight: Promise<A> | undefined
  let failures = 0
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const tryOnce = async (): Promise<A> => {
    try {
      const value = await discover()
      if (failures > 0) onRecovered()
      failures = 0
      onFound(value)
      return value
    } catch (error) {
      if (failures === 0 && !isStopped) onFailure(error)
      failures++
      failure = { error, at: performance.now() }
      throw error
    } finally {
      inFlight = undefined
      clearTimeout(timer)
      if (!isStopped)
        timer = setTimeout(() => void discoverNow().catch(() => undefined), waitAfter(failures, limits)).unref()
    }
  }
  const discoverNow = (): Promise<A> => {
    inFlight ??= tryOnce()
    return inFlight
  }
  return {
    discoverNow,
    /** The error of the last discovery, if it failed a moment ago and none is in flight. */
    recentFailure: () => {
      const isRecent = failure !== undefined && performance.now() - failure.at < limits.retryMin
      return isRecent && failures > 0 && inFlight === undefined ? failure : undefined
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Discovers the provider in the background, again and again. What is known stays in use while it cannot be. */
export const startDiscovery = <A>(options: DiscoveryOptions<A>) => {
  const limits = { ...DISCOVERY_LIMITS, ...options.limits }
  let current: { readonly value: A } | undefined
  let forgottenAt = Number.NEGATIVE_INFINITY
  const { discoverNow, recentFailure, stop } = makeDiscoveries(options, limits, (value) => {
    current = { value }
  })
  void discoverNow().catch(() => undefined)
  return {
    /** Waits for a discovery in flight; begins one if the last failed a while ago. Rejects if nothing is known. */
    known: async (): Promise<A> => {
      if (current !== undefined) return current.value
      const failure = recentFailure()
      if (failure !== undefined) throw failure.error
      return discoverNow()
    },
    /** Call if what is known turned out to be out of date. */
    forget: (): void => {
      if (performance.now() - forgottenAt < limits.forgetEvery) return
      forgottenAt = performance.now()
      current = undefined
    },
    stop,
  }
}
