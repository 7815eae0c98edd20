import type { StorePosition } from '../../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store.ts'

/** In milliseconds. */
interface SilenceLimits {
  /** How long commands or reads wait without any answer before the store counts as silent. */
  readonly silentAfter: number
  /** How long an appended event may take to a subscription that receives nothing else. */
  readonly arriveWithin: number
  readonly checkEvery: number
  /** Between probes of a silent store. */
  readonly probeEvery: number
}

const LIMITS: SilenceLimits = { silentAfter: 5_000, arriveWithin: 3_000, checkEvery: 250, probeEvery: 1_000 }

interface SilenceOptions {
  /** Probes the write path without changing anything. */
  readonly probe: () => Promise<boolean>
  /** Called once when the store becomes silent, and once when it answers again. */
  readonly onSilence: (isSilent: boolean) => void
  readonly limits?: SilenceLimits
}

/** A running subscription, as its store sees it. */
export interface WatchedSubscription {
  /** Store position of the last event of the log that has arrived. Undefined until the subscription was sent. */
  readonly arrived: () => StorePosition | undefined
  /** Number of responses that have arrived. */
  readonly responses: () => number
  /** Whether this process takes no more for now. */
  readonly isPaused: () => boolean
  /** Makes it fail with StoreUnavailable, so that its reader subscribes again. */
  readonly fail: () => void
}

export type Silence = ReturnType<typeof makeSilence>

/** Calls of one kind that wait for an answer. */
interface Waiting {
  count: number
  /** Time of the last answer, or of the first call that is still waiting. */
  since: number
}

interface Watched extends WatchedSubscription {
  /** At the last check. */
  seen: number
  /** Checks in a row at which it was behind and had received nothing. */
  missed: number
}

/** The running subscriptions of a store, and what was appended here that each has to deliver. */
const makeSubscriptions = ({ checkEvery, arriveWithin }: SilenceLimits) => {
  const all = new Set<Watched>()
  /** Store position of the last event that was appended here. */
  let appended = Number.NEGATIVE_INFINITY

  const isBehind = ({ arrived }: Watched): boolean => (arrived() ?? appended) < appended

  // Counts checks, not time: while this process is busy, nothing arrives either.
  const isLate = (watched: Watched): boolean => {
    const responses = watched.responses()
    const isMissed = isBehind(watched) && !watched.isPaused() && responses === watched.seen
    watched.seen = responses
    watched.missed = isMissed ? watched.missed + 1 : 0
    return watched.missed * checkEvery >= arriveWithin
  }

  return {
    all,
    appended: (storePosition: StorePosition): void => {
      appended = Math.max(appended, storePosition)
    },
    isAnyBehind: (): boolean => [...all].some(isBehind),
    /** Call once for each check. */
    isAnyLate: (): boolean => [...all].filter(isLate).length > 0,
    failAll: (): void => {
      const failing = [...all]
      all.clear()
      for (const { fail } of failing) fail()
    },
  }
}

/** Makes the function that looks whether probes are answered, so often at most. */
const makeProbing = (probe: () => Promise<boolean>, every: number, onAnswer: () => void) => {
  let probedAt = Number.NEGATIVE_INFINITY
  return async (): Promise<void> => {
    if (performance.now() - probedAt < every) return
    probedAt = Number.POSITIVE_INFINITY
    const isAnswered = await probe()
    probedAt = performance.now()
    if (isAnswered) onAnswer()
  }
}

/**
 * Detects a store that stops answering commands, or delivering what they appended.
 *
 * A frozen node, or one without quorum, keeps its connections open, and reads from memory still work. Only unanswered
 * calls reveal it. Appends are watched apart from reads: a leader that has lost its quorum still answers these.
 *
 * Appends may be answered by a new leader while subscriptions, on a connection of their own, stay on the frozen node.
 * So all subscriptions begin again once an append is answered, and the store is silent until one of them was confirmed.
 */
export const makeSilence = ({ probe, onSilence, limits = LIMITS }: SilenceOptions) => {
  const waiting: Readonly<Record<'append' | 'read', Waiting>> = {
    append: { count: 0, since: 0 },
    read: { count: 0, since: 0 },
  }
  const kinds = Object.values(waiting)
  const subscriptions = makeSubscriptions(limits)
  /** `subscribing`: appends are answered again, and a subscription has to be confirmed. */
  let state: 'answering' | 'silent' | 'subscribing' = 'answering'
  let timer: NodeJS.Timeout | undefined

  const become = (next: typeof state): void => {
    if ((next === 'answering') !== (state === 'answering')) onSilence(next !== 'answering')
    state = next
    if (next === 'answering') for (const each of kinds) each.since = performance.now()
    if (next === 'subscribing') subscriptions.failAll()
  }

  const answered = (kind: keyof typeof waiting): void => {
    waiting[kind].since = performance.now()
    if (kind === 'append' && state === 'silent') become('subscribing')
  }

  const probeAgain = makeProbing(probe, limits.probeEvery, () => answered('append'))

  const check = (): void => {
    const isAnyLate = subscriptions.isAnyLate()
    const isUnanswered = ({ count, since }: Waiting): boolean =>
      count > 0 && performance.now() - since >= limits.silentAfter
    if (state === 'silent') void probeAgain()
    else if (state === 'subscribing') return
    else if (kinds.some(isUnanswered)) become('silent')
    else if (isAnyLate) become('subscribing')
    else if (kinds.every(({ count }) => count === 0) && !subscriptions.isAnyBehind()) stop()
  }

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /**
     * Counts a call as waiting until it ends.
     *
     * @param isAnswer whether a result is an answer of the store, as any error but StoreUnavailable is
     */
    watch: async <A>(kind: 'append' | 'read', call: Promise<A>, isAnswer: (result: A) => boolean): Promise<A> => {
      timer ??= setInterval(check, limits.checkEvery).unref()
      if (waiting[kind].count++ === 0) waiting[kind].since = performance.now()
      try {
        const result = await call
        if (isAnswer(result)) answered(kind)
        return result
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) answered(kind)
        throw error
      } finally {
        waiting[kind].count--
      }
    },
    /** An event was appended here. */
    appended: subscriptions.appended,
    subscribed: (subscription: WatchedSubscription) => {
      const watched: Watched = { ...subscription, seen: 0, missed: 0 }
      subscriptions.all.add(watched)
      return {
        /** The node begins to send; of no meaning once the subscription has failed. */
        confirm: (): void => {
          if (state === 'subscribing' && subscriptions.all.has(watched)) become('answering')
        },
        remove: (): void => void subscriptions.all.delete(watched),
      }
    },
    stop,
  }
}
