/** What is known of the provider. */
export interface Discovery<A> {
  /** Waits for a discovery in flight; begins one if the last failed a while ago. Rejects if nothing is known. */
  readonly known: () => Promise<A>
  /** Call if what is known turned out to be out of date. */
  readonly forget: () => void
  readonly stop: () => void
}

interface DiscoveryOptions<A> {
  readonly discover: () => Promise<A>
  /** Called when the provider could not be discovered, until it was; `onRecovered` then. */
  readonly onFailure: (error: unknown) => void
  readonly onRecovered: () => void
}

/** Milliseconds between discoveries while the provider is known, and the least and the most while it is not. */
const RENEW_EVERY = 3_600_000
const [RETRY_MIN, RETRY_MAX] = [1_000, 30_000]
/** Milliseconds in which what is known is forgotten once. */
const FORGET_EVERY = 10_000

/** Milliseconds until the next discovery, after so many failures in a row. */
const waitAfter = (failures: number): number =>
  failures === 0 ? RENEW_EVERY : Math.min(RETRY_MAX, RETRY_MIN * 2 ** (failures - 1))

/** One discovery at a time, and another when it is due. */
const makeDiscoveries = <A>({ discover, onFailure, onRecovered }: DiscoveryOptions<A>, onFound: (value: A) => void) => {
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
      if (!isStopped) timer = setTimeout(() => void discoverNow().catch(() => undefined), waitAfter(failures)).unref()
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
      const isRecent = failure !== undefined && performance.now() - failure.at < RETRY_MIN
      return isRecent && failures > 0 && inFlight === undefined ? failure : undefined
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Discovers the provider in the background, again and again. What is known stays in use while it cannot be. */
export const startDiscovery = <A>(options: DiscoveryOptions<A>): Discovery<A> => {
  let current: { readonly value: A } | undefined
  let forgottenAt = Number.NEGATIVE_INFINITY
  const { discoverNow, recentFailure, stop } = makeDiscoveries(options, (value) => {
    current = { value }
  })
  void discoverNow().catch(() => undefined)
  return {
    known: async () => {
      if (current !== undefined) return current.value
      const failure = recentFailure()
      if (failure !== undefined) throw failure.error
      return discoverNow()
    },
    forget: () => {
      if (performance.now() - forgottenAt < FORGET_EVERY) return
      forgottenAt = performance.now()
      current = undefined
    },
    stop,
  }
}
