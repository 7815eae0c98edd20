import type { StorePosition } from '../../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store.ts'

/** In milliseconds. */
const LIMITS = {
  /** How long commands or reads wait without any answer before the store counts as silent. */
  silentAfter: 5_000,
  /** How long an appended event may take to a subscription that receives nothing else. */
  arriveWithin: 3_000,
  checkEvery: 250,
  /** Between probes of a silent store. */
  probeEvery: 1_000,
}

/** A running subscription, as its store sees it. */
export interface WatchedSubscription {
  /** Store position of the last event of the log that has arrived. Undefined until the subscription was sent. */
  readonly arrived: StorePosition | undefined
  readonly responses: number
  /** Whether this process takes no more for now. */
  readonly isPaused: boolean
  /** Makes it fail with StoreUnavailable, so that its reader subscribes again. */
  readonly fail: () => void
}

/** What the last check found of a subscription, and how many in a row found it behind, having received nothing. */
interface Seen {
  responses: number
  missed: number
}

/** Calls of one kind that wait for an answer. */
interface Waiting {
  count: number
  /** Time of the last answer, or of the first call that is still waiting. */
  since: number
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
export class Silence {
  readonly #probe: () => Promise<boolean>
  readonly #onSilence: (isSilent: boolean) => void
  readonly #limits: Readonly<typeof LIMITS>
  readonly #waiting: Readonly<Record<'append' | 'read', Waiting>> = {
    append: { count: 0, since: 0 },
    read: { count: 0, since: 0 },
  }
  readonly #subscriptions = new Map<WatchedSubscription, Seen>()
  /** Store position of the last event that was appended here. */
  #appended = Number.NEGATIVE_INFINITY
  /** `subscribing`: appends are answered again, and a subscription has to be confirmed. */
  #state: 'answering' | 'silent' | 'subscribing' = 'answering'
  #probedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  /**
   * @param probe probes the write path without changing anything
   * @param onSilence called once when the store becomes silent, and once when it answers again
   */
  constructor(probe: () => Promise<boolean>, onSilence: (isSilent: boolean) => void, limits = LIMITS) {
    this.#probe = probe
    this.#onSilence = onSilence
    this.#limits = limits
  }

  #become(state: 'answering' | 'silent' | 'subscribing'): void {
    if ((state === 'answering') !== (this.#state === 'answering')) this.#onSilence(state !== 'answering')
    this.#state = state
    if (state === 'answering') for (const each of Object.values(this.#waiting)) each.since = performance.now()
    if (state !== 'subscribing') return
    const failing = [...this.#subscriptions.keys()]
    this.#subscriptions.clear()
    for (const each of failing) each.fail()
  }

  #answered(kind: 'append' | 'read'): void {
    this.#waiting[kind].since = performance.now()
    if (kind === 'append' && this.#state === 'silent') this.#become('subscribing')
  }

  async #probeAgain(): Promise<void> {
    if (performance.now() - this.#probedAt < this.#limits.probeEvery) return
    this.#probedAt = Number.POSITIVE_INFINITY
    const isAnswered = await this.#probe()
    this.#probedAt = performance.now()
    if (isAnswered) this.#answered('append')
  }

  #isBehind({ arrived }: WatchedSubscription): boolean {
    return (arrived ?? this.#appended) < this.#appended
  }

  /** Counts checks, not time: while this process is busy, nothing arrives either. */
  #isLate(subscription: WatchedSubscription, seen: Seen): boolean {
    const { responses, isPaused } = subscription
    const isMissed = this.#isBehind(subscription) && !isPaused && responses === seen.responses
    seen.responses = responses
    seen.missed = isMissed ? seen.missed + 1 : 0
    return seen.missed * this.#limits.checkEvery >= this.#limits.arriveWithin
  }

  #check(): void {
    const waiting = Object.values(this.#waiting).filter(({ count }) => count > 0)
    const late = [...this.#subscriptions].filter((each) => this.#isLate(...each))
    if (this.#state === 'silent') void this.#probeAgain()
    else if (this.#state === 'subscribing') return
    else if (waiting.some(({ since }) => performance.now() - since >= this.#limits.silentAfter)) this.#become('silent')
    else if (late.length > 0) this.#become('subscribing')
    else if (waiting.length === 0 && ![...this.#subscriptions.keys()].some((each) => this.#isBehind(each))) this.stop()
  }

  /**
   * Counts a call as waiting until it ends.
   *
   * @param isAnswer whether a result is an answer of the store, as any error but StoreUnavailable is
   */
  async watch<A>(kind: 'append' | 'read', call: Promise<A>, isAnswer: (result: A) => boolean): Promise<A> {
    this.#timer ??= setInterval(() => this.#check(), this.#limits.checkEvery).unref()
    const waiting = this.#waiting[kind]
    if (waiting.count++ === 0) waiting.since = performance.now()
    try {
      const result = await call
      if (isAnswer(result)) this.#answered(kind)
      return result
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.#answered(kind)
      throw error
    } finally {
      waiting.count--
    }
  }

  /** An event was appended here. */
  appended(storePosition: StorePosition): void {
    this.#appended = Math.max(this.#appended, storePosition)
  }

  subscribed(subscription: WatchedSubscription): void {
    this.#subscriptions.set(subscription, { responses: 0, missed: 0 })
  }

  /** The node begins to send; of no meaning once the subscription has failed. */
  confirmed(subscription: WatchedSubscription): void {
    if (this.#state === 'subscribing' && this.#subscriptions.has(subscription)) this.#become('answering')
  }

  ended(subscription: WatchedSubscription): void {
    this.#subscriptions.delete(subscription)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
