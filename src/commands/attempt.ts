import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Decider, StreamState } from '../domain/decider.ts'
import { type Event, LARGE_APPEND, type NewEvent, type Recorded } from '../domain/event.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { subjectId } from '../domain/idempotency-records.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import {
  type Appended,
  type AppendFailure,
  before,
  type EventStore,
  type StoreUnavailable,
} from '../event-store/event-store.ts'
import type { ClockGuard } from './clock-guard.ts'
import { type CommandEnvelope, makeNewEvents, type Outcome } from './command-envelope.ts'
import { appendFailure, clockAhead, keyReused } from './failures.ts'
import { findRecorded } from './idempotency-key.ts'
import type { Folded } from './states/snapshots.ts'
import type { StateCache } from './states/state-cache.ts'

/**
 * How long a command is decided again after its first conflict: a few times what an instance keeps a stream busy before
 * it leaves a pause. Slow answers of the store before that do not count.
 */
const RETRY_TIMEOUT_MS = 5_000
const TOO_MANY = 'Too many concurrent changes by other instances. Try again.'
/** Maximum backoff after a conflict. */
const BACKOFF_MAX_MS = 8
/** How far the clock may be behind a stream's last event before commands are refused. */
const CLOCK_BEHIND_MAX_MS = 60_000

export interface AttemptOptions {
  readonly store: EventStore
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** Checks the clock at each decision. */
  readonly guard?: Pick<ClockGuard, 'isAhead'>
  /** For metrics. */
  readonly hooks?: RunnerHooks
  /** Milliseconds for which a command that was overtaken is decided again: 5,000 unless given. */
  readonly retryTimeout?: number
}

/** With less time left, an append is not begun any more: its outcome would be unknown for nothing. */
const APPEND_TIME_MIN_MS = 100

/** Called as the command loop works. */
export interface RunnerHooks {
  readonly onAppend: (outcome: 'done' | AppendFailure) => void
  /** The command is decided again: the stream changed, or the state of a refusal may be stale. */
  readonly onRetry: (why: 'moved' | 'refused') => void
  /** The command was already recorded under its idempotency key. */
  readonly onRepeat: (requestId: string) => void
  /** The store could not be read: the command was refused. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
}

/** Where a command stands after it was decided once. */
type Attempted<S> =
  | { readonly is: 'over'; readonly ended: E.Either<Failure, Outcome<S>> }
  /** Nothing is to be recorded, by a state that may be stale: only an append detects that by itself. */
  | { readonly is: 'unrecorded'; readonly ended: E.Either<Failure, Outcome<S>> }
  /** Another command was recorded first. */
  | { readonly is: 'overtaken' }

const over = <S>(ended: E.Either<Failure, Outcome<S>>): Attempted<S> => ({ is: 'over', ended })

/** Decides on a folded state, and appends what is to be recorded. */
const makeDecideOnce =
  ({ store, clock, randomHex, guard, hooks }: AttemptOptions, cache: StateCache) =>
  async <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    envelope: CommandEnvelope<C>,
    folded: Folded<S>,
    deadline: number,
  ): Promise<Attempted<S>> => {
    const { state, revision, storePosition } = folded
    const { idempotencyKey: key, abandonedId } = envelope
    const known = key && findRecorded(state.keys, key, abandonedId)
    if (known === 'reused') return over(E.left(keyReused()))
    if (known) {
      hooks?.onRepeat(envelope.requestId)
      return over(E.right({ kind: 'repeated', state, id: known._id, revision: known.revision, storePosition }))
    }
    const now = clock()
    const decision = guard?.isAhead(now) ? E.left(clockAhead()) : decideNow(decider, state, envelope, now)
    if (E.isLeft(decision)) return { is: 'unrecorded', ended: decision }
    if (decision.right.events.length === 0)
      return { is: 'unrecorded', ended: E.right({ kind: 'already', state, revision, storePosition }) }
    const events = makeNewEvents(decision.right.events, envelope, decision.right.now, randomHex)
    const within = deadline - performance.now()
    if (within < APPEND_TIME_MIN_MS) return over(E.left(appendFailure('unavailable')))
    const appended = await store.append(stream, revision, events, envelope.secrets, within)
    hooks?.onAppend(E.isLeft(appended) ? appended.left : 'done')
    if (E.isLeft(appended))
      return appended.left === 'moved' ? { is: 'overtaken' } : over(E.left(appendFailure(appended.left)))
    if (events.length >= LARGE_APPEND) await turn()
    return over(E.right(completeRecorded(decider, cache, folded, stream, events, appended.right)))
  }

/** Decides on a folded stream and appends, retrying after conflicts. `isToTheEnd` means the state was just read. */
export const makeAttempt = (options: AttemptOptions, cache: StateCache, onOvertaken?: (stream: string) => void) => {
  const { hooks, retryTimeout = RETRY_TIMEOUT_MS } = options
  const decideOnce = makeDecideOnce(options, cache)
  return async <S extends StreamState, C>(
    decider: Decider<S, C>,
    stream: string,
    envelope: CommandEnvelope<C>,
    begin: { readonly folded: Folded<S>; readonly isToTheEnd: boolean; readonly deadline: number },
  ): Promise<E.Either<Failure, Outcome<S>>> => {
    const { deadline } = begin
    let { folded, isToTheEnd } = begin
    let overtaken = 0
    let until = Number.POSITIVE_INFINITY
    for (;;) {
      const attempted = await decideOnce(decider, stream, envelope, folded, deadline)
      if (attempted.is === 'over') return attempted.ended
      if (attempted.is === 'unrecorded') {
        if (isToTheEnd) return attempted.ended
        hooks?.onRetry('refused')
      } else {
        hooks?.onRetry('moved')
        onOvertaken?.(stream)
        if (overtaken++ === 0) until = performance.now() + retryTimeout
        else if (performance.now() >= until) return E.left(failure('unavailable', TOO_MANY))
        // With jitter: another instance that appends back to back, without reading in between, would always be faster.
        else await delay(Math.random() * Math.min(2 ** overtaken, BACKOFF_MAX_MS))
      }
      folded = await before(deadline, readOn(decider, cache, stream, folded))
      isToTheEnd = true
    }
  }
}

const readOn = async <S extends StreamState, C>(
  decider: Decider<S, C>,
  cache: StateCache,
  stream: string,
  stale: Folded<S>,
): Promise<Folded<S>> => {
  const confirming = cache.confirm()
  await confirming
  return confirming ? cache.load(decider, stream) : cache.catchUp(decider, stream, stale)
}

const decideNow = <S extends StreamState, C>(
  decider: Decider<S, C>,
  state: S,
  envelope: CommandEnvelope<C>,
  clock: number,
) => {
  // Also for its time: when something unknown to the sender was recorded must not show either.
  const known = decider.known?.(state, envelope.command) ?? state
  if (clock < known.time - CLOCK_BEHIND_MAX_MS) {
    return E.left(failure('clock_behind', "The service's clock is behind the last recorded event."))
  }
  const now = Math.max(envelope.at ?? clock, known.time)
  return E.map((events: readonly Event[]) => ({ events, now }))(decider.decide(known, envelope.command, now))
}

/** Caches the new state and returns the outcome of a recorded command. */
const completeRecorded = <S extends StreamState, C>(
  decider: Decider<S, C>,
  cache: StateCache,
  folded: Folded<S>,
  stream: string,
  decided: readonly NewEvent[],
  appended: Appended,
): Outcome<S> => {
  const events = decided.map((event, i): Recorded => {
    const revision = folded.revision + 1 + i
    // All get the last event's position: waiting for it waits for all of them.
    return { ...event, stream, revision, storePosition: appended.storePosition }
  })
  const last = events.at(-1) as Recorded
  const id = subjectId(last)
  const state = events.reduce(decider.evolve, folded.state)
  cache.put(decider, stream, { ...folded, state, ...appended }, last.id)
  return { kind: 'recorded', state, id, events, ...appended }
}
