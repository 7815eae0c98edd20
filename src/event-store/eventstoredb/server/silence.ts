import { StoreUnavailable } from '../../event-store.ts'
import type { StoreSubscriptions } from './subscriptions.ts'

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
  readonly subscriptions: Omit<StoreSubscriptions, 'add' | 'appended'>
  /** Called once when the store becomes silent, and once when it answers again. */
  readonly onSilence: (isSilent: boolean) => void
  readonly limits?: SilenceLimits
}

type Kind = 'append' | 'read'

/** Calls of one kind that wait for an answer. */
const makeWaiting = () => {
  let count = 0
  /** Time of the last answer, or of the first call that is still waiting. */
  let since = 0
  return {
    /** @param onAnswer called for an answer, which is also an error other than StoreUnavailable */
    watch: async <A>(call: Promise<A>, isAnswer: (result: A) => boolean, onAnswer: () => void): Promise<A> => {
      if (count++ === 0) since = performance.now()
      try {
        const result = await call
        if (isAnswer(result)) onAnswer()
        return result
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) onAnswer()
        throw error
      } finally {
        count--
      }
    },
    answered: (): void => {
      since = performance.now()
    },
    isAny: () => count > 0,
    isLonger: (milliseconds: number) => count > 0 && performance.now() - since >= milliseconds,
  }
}

/** @returns whether a probe was answered; false without one if the last was less than `every` milliseconds ago */
const makeProbing = (probe: () => Promise<boolean>, every: number): (() => Promise<boolean>) => {
  let probedAt = Number.NEGATIVE_INFINITY
  let isProbing = false
  return async () => {
    if (isProbing || performance.now() - probedAt < every) return false
    isProbing = true
    const isAnswered = await probe()
    isProbing = false
    probedAt = performance.now()
    return isAnswered
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
export const makeSilence = ({ probe, subscriptions, onSilence, limits = LIMITS }: SilenceOptions) => {
  const waiting: Readonly<Record<Kind, ReturnType<typeof makeWaiting>>> = { append: makeWaiting(), read: makeWaiting() }
  const kinds = Object.values(waiting)
  /** `subscribing`: appends are answered again, and a subscription has to be confirmed. */
  let state: 'answering' | 'silent' | 'subscribing' = 'answering'
  let timer: NodeJS.Timeout | undefined
  const probeAgain = makeProbing(probe, limits.probeEvery)

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const subscribeAgain = (): void => {
    state = 'subscribing'
    subscriptions.failAll()
  }

  const answered = (kind: Kind): void => {
    waiting[kind].answered()
    if (kind === 'append' && state === 'silent') subscribeAgain()
  }

  const begin = (): void => {
    state = 'silent'
    onSilence(true)
  }

  const end = (): void => {
    for (const each of kinds) each.answered()
    state = 'answering'
    onSilence(false)
  }

  const check = (): void => {
    const isLate = subscriptions.countMissed() * limits.checkEvery >= limits.arriveWithin
    if (state === 'silent') void probeAgain().then((isAnswered) => isAnswered && answered('append'))
    else if (state === 'subscribing') {
      if (subscriptions.isConfirmed()) end()
    } else if (kinds.some((each) => each.isLonger(limits.silentAfter))) begin()
    else if (isLate) {
      begin()
      subscribeAgain()
    } else if (!kinds.some((each) => each.isAny()) && !subscriptions.isAnyBehind()) stop()
  }

  return {
    /** Counts a call as waiting until it ends. */
    watch: <A>(kind: Kind, call: Promise<A>, isAnswer: (result: A) => boolean): Promise<A> => {
      timer ??= setInterval(check, limits.checkEvery).unref()
      return waiting[kind].watch(call, isAnswer, () => answered(kind))
    },
    stop,
  }
}
