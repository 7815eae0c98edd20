import type { StorePosition } from '../../../domain/values/position.ts'
/** A running subscription, as its store sees it. */
export interface StoreSubscription {
  /** Store position of the last event of the log that has arrived. Undefined until the subscription was sent. */
  readonly arrived: () => StorePosition | undefined
  /** Number of responses that have arrived. */
  readonly responses: () => number
  /** Whether this process takes no more for now. */
  readonly isPaused: () => boolean
  /** Makes it fail with StoreUnavailable, so that its reader subscribes again. */
  readonly fail: () => void
}

/** All running subscriptions of a store. */
export interface StoreSubscriptions {
  readonly add: (subscription: StoreSubscription) => {
    /** Called when the node begins to send. */
    readonly confirm: () => void
    readonly remove: () => void
  }
  /** An event that each subscription has to deliver. */
  readonly appended: (storePosition: StorePosition) => void
  /** Whether an appended event has not arrived everywhere. */
  readonly isAnyBehind: () => boolean
  /** The most calls of this function in a row between which a subscription that is behind has received nothing. */
  readonly countMissed: () => number
  readonly failAll: () => void
  /** Whether a node has confirmed a subscription since all failed. */
  readonly isConfirmed: () => boolean
}

interface Watched {
  readonly subscription: StoreSubscription
  responses: number
  missed: number
}

export const makeStoreSubscriptions = (): StoreSubscriptions => {
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
    add: (subscription) => {
      const watched: Watched = { subscription, responses: 0, missed: 0 }
      all.add(watched)
      return {
        confirm: () => {
          if (all.has(watched)) isConfirmed = true
        },
        remove: () => void all.delete(watched),
      }
    },
    appended: (storePosition) => {
      last = Math.max(last, storePosition)
    },
    isAnyBehind: () => [...all].some(isBehind),
    countMissed: () => Math.max(0, ...[...all].map(updateMissed)),
    failAll: () => {
      const failing = [...all]
      all.clear()
      isConfirmed = false
      for (const { subscription } of failing) subscription.fail()
    },
    isConfirmed: () => isConfirmed,
  }
}
