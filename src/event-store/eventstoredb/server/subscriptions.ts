import type { StorePosition } from '../../../domain/values/position.ts'

/** A running subscription, as its store sees it. */
interface StoreSubscription {
  /** Store position of the last event of the log that has arrived. Undefined until the subscription was sent. */
  readonly arrived: () => StorePosition | undefined
  /** Number of responses that have arrived. */
  readonly responses: () => number
  /** Whether this process takes no more for now. */
  readonly isPaused: () => boolean
  /** Makes it fail with StoreUnavailable, so that its reader subscribes again. */
  readonly fail: () => void
}

export type StoreSubscriptions = ReturnType<typeof makeStoreSubscriptions>

interface Watched {
  readonly subscription: StoreSubscription
  responses: number
  missed: number
}

/** All running subscriptions of a store. */
export const makeStoreSubscriptions = () => {
  const all = new Set<Watched>()
  let last = Number.NEGATIVE_INFINITY
  let isConfirmed = false

  const isBehind = ({ subscription }: Watched): boolean => (subscription.arrived() ?? last) < last

  // Counts calls, not time: while this process is busy, nothing arrives either.
  const updateMissed = (watched: Watched): number => {
    const { subscription } = watched
    const responses = subscription.responses()
    const isWaiting = isBehind(watched) && !subscription.isPaused() && responses === watched.responses
    watched.responses = responses
    watched.missed = isWaiting ? watched.missed + 1 : 0
    return watched.missed
  }

  return {
    add: (subscription: StoreSubscription) => {
      const watched: Watched = { subscription, responses: 0, missed: 0 }
      all.add(watched)
      return {
        /** Called when the node begins to send. */
        confirm: (): void => {
          if (all.has(watched)) isConfirmed = true
        },
        remove: (): void => void all.delete(watched),
      }
    },
    /** An event that each subscription has to deliver. */
    appended: (storePosition: StorePosition): void => {
      last = Math.max(last, storePosition)
    },
    /** Whether an appended event has not arrived everywhere. */
    isAnyBehind: (): boolean => [...all].some(isBehind),
    /** The most calls of this function in a row between which a subscription that is behind has received nothing. */
    countMissed: (): number => Math.max(0, ...[...all].map(updateMissed)),
    failAll: (): void => {
      const failing = [...all]
      all.clear()
      isConfirmed = false
      for (const { subscription } of failing) subscription.fail()
    },
    /** Whether a node has confirmed a subscription since all failed. */
    isConfirmed: (): boolean => isConfirmed,
  }
}
