import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Decider, StreamState } from '../domain/decider.ts'
import type { Event, NewEvent, Recorded } from '../domain/event.ts'
import { type Failure, failure } from '../domain/failure.ts'
import type { IdempotencyRecord } from '../domain/idempotency-records.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import type { Appended, AppendFailure, EventStore } from '../event-store/event-store.ts'
import type { ClockGuard } from './clock/guard.ts'
import { appendFailure, clockAhead, keyReused } from './failures.ts'
import { findRecorded } from './idempotency-key.ts'
import { makeEvents, type Order, type Outcome } from './order.ts'
import { type Folded, PagesLost } from './states/snapshots.ts'
import type { StateCache } from './states/state-cache.ts'

/** How often a command is decided anew because others moved its stream, before it is given up. */
const ATTEMPTS_MAX = 64
/** Milliseconds to wait at most before a command that was overtaken is decided anew. */
const PAUSE_MAX = 32
/** Milliseconds a clock may be behind a stream's last event before nothing is recorded any more. */
const CLOCK_BEHIND_MAX = 60_000

export interface AttemptOptions {
  readonly store: EventStore
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** Judges the clock at each decision. */
  readonly guard?: Pick<ClockGuard, 'isAhead'>
  /** Told what is worth counting. */
  readonly hooks?: RunnerHooks
}

/** What the loop tells of its work. */
export interface RunnerHooks {
  readonly onAppend: (outcome: 'done' | AppendFailure) => void
  /** A command is decided once more: its stream had moved, or a refusal has to be looked at again. */
  readonly onRetry: (why: 'moved' | 'refused') => void
  /** A command was recorded under its retry key before. */
  readonly onRepeat: (stream: string) => void
}

/** Decides on a folded stream and appends, again where another was faster; `isToTheEnd`: it was read just now. */
export const makeAttempt =
  ({ store, clock, randomHex, guard, hooks }: AttemptOptions, cache: StateCache) =>
  async <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    order: Order<C>,
    begin: { readonly folded: Folded<S>; readonly isToTheEnd: boolean },
  ): Promise<E.Either<Failure, Outcome<S>>> => {
    let { folded, isToTheEnd } = begin
    let overtaken = 0
    for (let i = 0; i < ATTEMPTS_MAX; i++) {
      const { state, revision, mark } = folded
      const known = order.idempotencyKey && cache.withPages(() => findPrevious(state, order))
      if (known === 'reused') return E.left(keyReused())
      if (known) {
        hooks?.onRepeat(stream)
        return E.right<Failure, Outcome<S>>({ kind: 'repeated', state, known, revision: known.revision, mark })
      }
      const now = clock()
      const decision = guard?.isAhead(now)
        ? E.left(clockAhead())
        : cache.withPages(() => decideNow(decider, state, order, now))
      if (E.isRight(decision) && decision.right.events.length > 0) {
        const events = makeEvents(decision.right.events, order, decision.right.now, randomHex)
        const appended = await store.append(stream, revision, events, order.secrets)()
        hooks?.onAppend(E.isLeft(appended) ? appended.left : 'done')
        if (E.isRight(appended))
          return E.right(await completeRecorded(decider, cache, folded, stream, events, appended.right))
        if (appended.left !== 'moved') return E.left(appendFailure(appended.left))
        hooks?.onRetry('moved')
        await backOff(++overtaken)
      } else if (isToTheEnd) {
        return E.map((): Outcome<S> => ({ kind: 'already', state, revision, mark }))(decision)
      } else hooks?.onRetry('refused')
      // Only an append finds out by itself that the state is old; a refusal has to look.
      const confirming = cache.confirm()
      await confirming
      folded = await (confirming ? cache.load(decider, stream) : cache.catchUp(decider, stream, folded))
      isToTheEnd = true
    }
    return E.left(failure('unavailable', 'Too many others are changing this SUT at the same moment; try again.'))
  }

/**
 * Waits, longer the more often it was overtaken: another instance that appends one command after the other without having
 * to read in between would be ahead each time.
 */
const backOff = (overtaken: number): Promise<void> | undefined =>
  overtaken <= 1 ? undefined : delay(Math.random() * Math.min(2 ** overtaken, PAUSE_MAX))

const findPrevious = (
  state: StreamState,
  { idempotencyKey, abandonedId }: Order<unknown>,
): IdempotencyRecord | 'reused' | undefined => idempotencyKey && findRecorded(state.keys, idempotencyKey, abandonedId)

const decideNow = <S extends StreamState, C>(decider: Decider<S, C>, state: S, order: Order<C>, clock: number) => {
  if (clock < state.time - CLOCK_BEHIND_MAX) {
    return E.left(failure('clock_behind', "The service's clock is behind what it has already recorded."))
  }
  const now = Math.max(order.at ?? clock, state.time)
  return E.map((events: readonly Event[]) => ({ events, now }))(decider.decide(state, order.command, now))
}

/** The outcome of a command whose events have been appended; its stream is remembered folded with them. */
const completeRecorded = async <S extends StreamState, C>(
  decider: Decider<S, C>,
  cache: StateCache,
  folded: Folded<S>,
  stream: string,
  decided: readonly NewEvent[],
  appended: Appended,
): Promise<Outcome<S>> => {
  const events = decided.map((event, i): Recorded => {
    const revision = folded.revision + 1 + i
    // The last one's: whoever waits for that has waited for them all.
    return { ...event, stream, revision, mark: appended.mark }
  })
  try {
    const state = cache.withPages(() => events.reduce(decider.evolve, folded.state))
    cache.put(decider, stream, { ...folded, state, ...appended }, (decided.at(-1) as NewEvent).id)
    return { kind: 'recorded', state, events, ...appended }
  } catch (error) {
    if (!(error instanceof PagesLost)) throw error
    const { state } = await cache.reload(decider, stream)
    return { kind: 'recorded', state, events, ...appended }
  }
}
